// One client that downloads a small document again and again, and notes how long each download takes.
import { Pool } from 'undici'
import { answerCalls } from '../framework/child.js'
import { percentile } from '../framework/statistics.js'

/** @type {{ pool: Pool, path: string, size: number }} */
let target
const state = { reading: false }
/** @type {Promise<number[]>} */
let downloads = Promise.resolve([])

answerCalls({
  /** @param {{ origin: string, path: string, size: number }} options */
  start ({ origin, path, size }) {
    target = { pool: new Pool(origin, { connections: 1 }), path, size }
  },
  begin () {
    state.reading = true
    downloads = readAgainAndAgain()
  },
  /** Resolves to the milliseconds that 99 % of the downloads took at most. */
  async end () {
    state.reading = false
    return percentile(await downloads, 0.99)
  }
})

async function readAgainAndAgain () {
  const times = []
  while (state.reading) {
    const started = performance.now()
    const { statusCode, body } = await target.pool.request({ path: target.path, method: 'GET' })
    const { byteLength } = await body.arrayBuffer()
    if (statusCode !== 200 || byteLength !== target.size) {
      throw new Error(`a download was answered with status ${statusCode} and ${byteLength} bytes`)
    }
    times.push(performance.now() - started)
  }
  return times
}
