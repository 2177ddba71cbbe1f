import { startProgram } from './program.js'

/**
 * The plugin, a document server, and the editors of its documents.
 * @param {string} folder
 * @param {{ documents: number, size?: number, connections?: number }} options
 */
export async function startApplication (folder, { documents, size = 1000, connections = 1 }) {
  const documentServer = await startProgram('load/document-server.js', 'load')
  const server = await startProgram('candidates/plugin.js', 'measured', {
    folder,
    documentServer: documentServer.started.origin,
    documents,
    size
  })
  const { origin, fileIds } = server.started
  const editors = await startProgram('load/editors.js', 'load', {
    origin,
    documentServer: documentServer.started.origin,
    connections
  })
  return {
    server,
    editors,
    origin,
    fileIds: /** @type {string[]} */ (fileIds),
    stop: async () => { await Promise.all([editors.stop(), server.stop(), documentServer.stop()]) }
  }
}
