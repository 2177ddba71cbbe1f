// Makes many HTTP requests with autocannon.
import autocannon from 'autocannon'
import { answerCalls } from '../framework/child.js'

/** @typedef {{ origin: string, requests: autocannon.Request[], connections: number, size: number, answer?: string, perSecond?: number }} Load */

/** A round ends at a multiple of this. */
const SAMPLE_MS = 50
/** @type {Load} */
let load

answerCalls({
  /** @param {Load} options `perSecond`: a fixed number of requests, so that no long answer is cut off at the end */
  start (options) {
    load = options
  },

  /** @param {import('../framework/measure.js').Length} length */
  async round (length) {
    const { origin, requests, connections, size, answer, perSecond } = load
    const started = performance.now()
    let wrong = 0
    let clients = 0
    const checked = answer === undefined
      ? requests
      : requests.map(request => ({
        ...request,
        onResponse: (/** @type {number} */ _, /** @type {string} */ body) => {
          if (body !== answer) wrong++
        }
      }))
    let lastAnswer = started
    const result = await run({
      url: origin,
      requests: checked,
      // Each connection begins with another one.
      setupClient: client =>
        client.setRequests([
          ...checked.slice(clients % checked.length),
          ...checked.slice(0, clients++ % checked.length)
        ]),
      connections,
      sampleInt: SAMPLE_MS,
      ...('seconds' in length && !perSecond
        ? { duration: length.seconds }
        : { amount: Math.max(connections, amountOf(length, perSecond)) })
    }, () => {
      lastAnswer = performance.now()
    })
    const operations = result['2xx']
    const { errors, timeouts, non2xx, throughput } = result
    if (errors || timeouts || wrong || non2xx) {
      throw new Error(
        `${requests[0]?.path}: ${
          JSON.stringify({ operations, errors, timeouts, wrong, non2xx, statusCodes: result.statusCodeStats })
        }`
      )
    }
    if (throughput.total < operations * size) {
      throw new Error(`${operations} answers have ${throughput.total} bytes in all, ${size} expected of each`)
    }
    return { operations, seconds: (lastAnswer - started) / 1000 }
  }
})

/**
 * @param {import('../framework/measure.js').Length} length
 * @param {number} [perSecond]
 */
function amountOf (length, perSecond = 1) {
  return Math.round('seconds' in length ? length.seconds * perSecond : length.operations)
}

/**
 * @param {autocannon.Options} options
 * @param {() => void} onAnswer
 * @returns {Promise<autocannon.Result>}
 */
function run (options, onAnswer) {
  return new Promise((resolve, reject) => {
    const instance = autocannon(options, (error, result) => error ? reject(error) : resolve(result))
    instance.on('response', onAnswer)
  })
}
