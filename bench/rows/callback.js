import { startProgram } from '../framework/program.js'
import { signedCallback } from '../load/signed-callback.js'

/** @typedef {import('../framework/measure.js').Comparison} Comparison */
/** @typedef {import('../framework/measure.js').Length} Length */
/** @typedef {import('../framework/program.js').Program} Program */

const DOCUMENTS = 32
const CONNECTIONS = 32
const NO_DOCUMENT_SERVER = 'http://127.0.0.1:9'

/** @type {Comparison} */
export const callback = {
  name: 'callback',
  title: `Callback with status 1, verified, ${CONNECTIONS} connections`,
  warmUp: 16_000,
  candidates: [{
    name: 'the plugin',
    does:
      'checks URL, token and key, applies callbacks of a file in their order, compares with what is noted of the session (noted before: nothing is written)',
    start: async folder =>
      await loaded(
        await startProgram('candidates/plugin.js', 'measured', {
          folder,
          documentServer: NO_DOCUMENT_SERVER,
          documents: DOCUMENTS
        })
      )
  }, {
    name: 'Fastify route',
    does: 'checks the body with a schema and the token with fast-jwt; knows no sessions',
    goal: 0.3,
    start: async folder =>
      await loaded(await startProgram('candidates/handwritten.js', 'measured', { folder, documents: DOCUMENTS }))
  }]
}

/** @param {Program} server */
async function loaded (server) {
  const { origin, fileIds } = server.started
  const requests = []
  for (const fileId of fileIds) {
    const { key, callbackPath } = await server.call('openPage', fileId)
    const body = signedCallback(key, 1, { actions: [{ type: 1, userid: 'ada' }] })
    requests.push({ method: 'POST', path: callbackPath, body, headers: { 'content-type': 'application/json' } })
  }
  const load = await startProgram('load/http.js', 'load', {
    origin,
    requests,
    connections: CONNECTIONS,
    size: 0,
    answer: '{"error":0}'
  })
  return {
    round: (/** @type {Length} */ length) => load.call('round', length),
    usage: server.usage,
    stop: async () => { await Promise.all([load.stop(), server.stop()]) }
  }
}
