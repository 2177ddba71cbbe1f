import { startProgram } from '../framework/program.js'

/** @typedef {import('../framework/measure.js').Comparison} Comparison */
/** @typedef {import('../framework/measure.js').Length} Length */

/**
 * More than a process opens: who opens a document within a minute of its final save has the document server asked
 * first.
 */
const DOCUMENTS = 2000

const SMALL = 1000

export const save = [
  row({ name: 'save-1kb', title: 'Page, status 1 and save of 1 kB', size: SMALL, warmUp: 500, goal: 0.3 }),
  row({ name: 'save-1mb', title: 'Page, status 1 and save of 1 MB', size: 1e6, warmUp: 250, goal: 0.3 }),
  row({ name: 'save-100mb', title: 'Page, status 1 and save of 100 MB', size: 1e8, warmUp: 5, goal: 1 }),
  row({
    name: 'save-1gb',
    title: 'Page, status 1 and save of 1 GB',
    size: 1e9,
    warmUp: 1,
    goal: 1,
    long: true,
    processes: 2
  })
]

/**
 * @param {{ name: string, title: string, size: number, warmUp: number, goal: number, long?: boolean, processes?: number
 *   }} options
 * @returns {Comparison}
 */
function row ({ name, title, size, warmUp, goal, long = false, processes }) {
  return {
    name,
    title: `${title}, durable, one after another`,
    long,
    ...(size > SMALL && { checked: false }), // two speeds, see README.md
    judgedBy: 'time',
    warmUp,
    ...(processes && { processes }),
    candidates: [{
      name: 'the plugin',
      does:
        'also checks and notes sessions, recognizes repeats and conflicts, checks the content, keeps the record durable',
      start: async folder => await edited('candidates/plugin.js', folder)
    }, {
      name: 'request → file',
      does: 'by hand: undici.request, pipeline into a file, fsync, rename, fsync of the directory; no state at all',
      goal,
      start: async folder => await edited('candidates/handwritten.js', folder)
    }]
  }

  /**
   * @param {string} program
   * @param {string} folder
   */
  async function edited (program, folder) {
    const documentServer = await startProgram('load/document-server.js', 'load')
    const server = await startProgram(program, 'measured', {
      folder,
      documentServer: documentServer.started.origin,
      documents: DOCUMENTS,
      size: 1
    })
    const { origin, fileIds } = server.started
    const editors = await startProgram('load/editors.js', 'load', {
      origin,
      documentServer: documentServer.started.origin
    })
    return {
      round: (/** @type {Length} */ length) => editors.call('sessions', { fileIds, size, length }),
      usage: server.usage,
      check: () => editors.call('check'),
      stop: async () => { await Promise.all([editors.stop(), server.stop(), documentServer.stop()]) }
    }
  }
}
