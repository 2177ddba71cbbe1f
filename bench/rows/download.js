import { checkDownload } from '../framework/downloaded.js'
import { startProgram } from '../framework/program.js'

/** @typedef {import('../framework/measure.js').Comparison} Comparison */
/** @typedef {import('../framework/measure.js').Length} Length */

/** Never asked for anything here. */
const NO_DOCUMENT_SERVER = 'http://127.0.0.1:9'

export const download = [
  row({ name: 'download-1kb', title: 'Download of 1 kB', size: 1000, connections: 32, warmUp: 5000, goal: 0.9 }),
  row({
    name: 'download-1mb',
    title: 'Download of 1 MB',
    size: 1e6,
    connections: 8,
    perSecond: 300,
    warmUp: 1200,
    goal: 1
  }),
  row({
    name: 'download-100mb',
    title: 'Download of 100 MB',
    size: 1e8,
    connections: 2,
    perSecond: 8,
    warmUp: 5,
    goal: 1
  })
]

/**
 * @param {{ name: string, title: string, size: number, connections: number, perSecond?: number, warmUp: number, goal:
 *   number }} options
 * @returns {Comparison}
 */
function row ({ name, title, size, connections, perSecond, warmUp, goal }) {
  return {
    name,
    title: `${title}, ${connections} connections`,
    warmUp,
    // A process that sends much settles at one of two speeds.
    ...(size > 1000 && { checked: /** @type {false} */ (false) }),
    candidates: [{
      name: 'the plugin',
      does: 'checks the signature and the expiry of the URL, finds the document by its fileId',
      async start (folder) {
        const server = await startProgram('candidates/plugin.js', 'measured', {
          folder,
          documentServer: NO_DOCUMENT_SERVER,
          documents: 1,
          size
        })
        const { downloadPath } = await server.call('openPage', server.started.fileIds[0])
        return await loaded(server, downloadPath)
      }
    }, {
      name: '@fastify/static',
      does: 'checks no signature, and the URL is the name of the file',
      goal,
      async start (folder) {
        const server = await startProgram('candidates/static.js', 'measured', { folder, size })
        return await loaded(server, server.started.downloadPath)
      }
    }]
  }

  /**
   * @param {{ started: { origin: string }, usage: () => Promise<import('../framework/program.js').Usage>, stop: () =>
   *   Promise<void> }} server
   * @param {string} path
   */
  async function loaded (server, path) {
    const { origin } = server.started
    await checkDownload(origin + path, size)
    const load = await startProgram('load/http.js', 'load', {
      origin,
      requests: [{ method: 'GET', path }],
      connections,
      size,
      perSecond
    })
    return {
      round: (/** @type {Length} */ length) => load.call('round', length),
      usage: server.usage,
      stop: async () => { await Promise.all([load.stop(), server.stop()]) }
    }
  }
}
