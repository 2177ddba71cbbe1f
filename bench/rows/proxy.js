import { checkDownload } from '../framework/downloaded.js'
import { startProgram } from '../framework/program.js'

/** @typedef {import('../framework/measure.js').Comparison} Comparison */
/** @typedef {import('../framework/measure.js').Length} Length */
/** @typedef {import('../framework/program.js').Program} Program */

export const proxy = [
  row({ name: 'proxy-1kb', title: 'Proxied file of 1 kB', size: 1000, connections: 32, warmUp: 6000, goal: 0.6 }),
  row({
    name: 'proxy-1mb',
    title: 'Proxied file of 1 MB',
    size: 1e6,
    connections: 8,
    perSecond: 200,
    warmUp: 1200,
    goal: 0.9
  }),
  row({
    name: 'proxy-100mb',
    title: 'Proxied file of 100 MB',
    size: 1e8,
    connections: 2,
    perSecond: 4,
    warmUp: 5,
    goal: 0.7
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
    // A process that sends much settles at one of two speeds, and a quick run is too short to warm undici up.
    checked: /** @type {false} */ (false),
    candidates: [{
      name: 'the plugin',
      does: 'checks the page\'s token, where the request comes from, the URL and each redirect; limits size and time',
      start: folder =>
        started('candidates/plugin.js', { folder, documents: 1 }, async (server, url) => {
          const { fileId, proxyToken } = await server.call('openPage', server.started.fileIds[0])
          return {
            path: `/handler?${new URLSearchParams({ action: 'proxy', fileId, url })}`,
            headers: { 'x-editor-proxy-token': proxyToken }
          }
        })
    }, {
      name: '@fastify/reply-from',
      does: 'checks nothing, one upstream',
      goal,
      start: () =>
        started('candidates/reply-from.js', {}, async (_, url) => ({ path: new URL(url).pathname, headers: {} }))
    }]
  }

  /**
   * @param {string} program
   * @param {object} options
   * @param {(server: Program, url: string) => Promise<{ path: string, headers: Record<string, string> }>} requestFor
   */
  async function started (program, options, requestFor) {
    const upstream = await startProgram('load/document-server.js', 'load')
    const documentServer = upstream.started.origin
    const server = await startProgram(program, 'measured', { ...options, documentServer })
    const { origin } = server.started
    const { path, headers } = await requestFor(server, `${documentServer}/cache/files/${size}/0`)
    await checkDownload(origin + path, size, headers)
    const load = await startProgram('load/http.js', 'load', {
      origin,
      requests: [{ method: 'GET', path, headers }],
      connections,
      size,
      perSecond
    })
    return {
      round: (/** @type {Length} */ length) => load.call('round', length),
      usage: server.usage,
      stop: async () => { await Promise.all([load.stop(), server.stop(), upstream.stop()]) }
    }
  }
}
