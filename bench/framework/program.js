import { fork, spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { killedAtExit } from './cleanup.js'

/** What is measured runs on one core, what makes requests on the other: neither takes the other's time. */
const CORES = { measured: '0', load: '1' }

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0,1', 'true']).status === 0

/** @typedef {{ cpu: number, rss: number, peakRss: number }} Usage */
/** @typedef {Awaited<ReturnType<typeof startProgram>>} Program */

/**
 * A command that runs on the core of its role, where the system can do that.
 * @param {keyof typeof CORES} role
 * @param {string[]} command
 */
export function pinned (role, command) {
  return canPin ? ['taskset', '-c', CORES[role], ...command] : command
}

/**
 * Starts a program of this folder's neighbours in a process of its own, and calls its method `start`.
 * @param {string} path below bench/
 * @param {keyof typeof CORES} role
 * @param {object} [options] for `start`
 */
export async function startProgram (path, role, options = {}) {
  const [execPath = '', ...execArgv] = pinned(role, [process.execPath])
  const child = killedAtExit(fork(fileURLToPath(new URL(`../${path}`, import.meta.url)), { execPath, execArgv }))
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map()
  child.on('message', (/** @type {{ id: number, result?: unknown, error?: string }} */ { id, result, error }) => {
    if (error) waiting.get(id)?.reject(new Error(`${path}: ${error}`))
    else waiting.get(id)?.resolve(result)
    waiting.delete(id)
  })
  const exited = once(child, 'exit')
  exited.then(([code, signal]) => {
    for (const { reject } of waiting.values()) reject(new Error(`${path} ended with ${code ?? signal}`))
  })
  let calls = 0
  const ready = answerOf(0)

  /**
   * @param {number} id
   * @returns {Promise<any>}
   */
  function answerOf (id) {
    return new Promise((resolve, reject) => { waiting.set(id, { resolve, reject }) })
  }

  /**
   * Calls a method of the program.
   * @param {string} method
   * @param {unknown} [argument]
   * @returns {Promise<any>}
   */
  async function call (method, argument) {
    const answer = answerOf(++calls)
    child.send({ id: calls, method, argument })
    return await answer
  }

  async function stop () {
    if (child.connected) child.disconnect()
    await exited
  }

  try {
    await ready
    const started = await call('start', options)
    return { started, pid: child.pid, call, usage: async () => /** @type {Usage} */ (await call('usage')), stop }
  } catch (error) {
    await stop()
    throw error
  }
}
