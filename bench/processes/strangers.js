// Unknown clients that post bodies as fast as they can, each on a connection of its own, until they are told to stop.
import http from 'node:http'

const { STRANGERS } = process.env
const MIB = 1024 ** 2

let round = new AbortController()
let posted = 0

/**
 * @param {{ url: string, body: string }} target
 * @param {AbortSignal} signal
 */
async function postUntil (target, signal) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  while (!signal.aborted) {
    await post(target, agent)
    posted++
  }
  agent.destroy()
}

/**
 * Resolves when the response or the connection has ended.
 * @param {{ url: string, body: string }} target
 * @param {http.Agent} agent
 */
function post ({ url, body }, agent) {
  return new Promise(resolve => {
    const request = http.request(url, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    })
    request.on('response', response => response.resume())
    request.on('error', () => {}).on('close', resolve)
    request.end(body)
  })
}

process.on('message', (/** @type {any} */ message) => {
  if (message === 'stop') {
    round.abort()
    process.send?.({ type: 'stopped', posted })
    return
  }
  round = new AbortController()
  posted = 0
  const { url, token } = message
  const body = JSON.stringify({
    status: 2,
    url: 'http://127.0.0.1/',
    token: token.replace('FILL', 'x'.repeat(4 * MIB - 500))
  })
  for (let stranger = 0; stranger < Number(STRANGERS); stranger++) postUntil({ url, body }, round.signal)
})
process.send?.({ type: 'listening' })
