import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const SERVICE = fileURLToPath(new URL('service.js', import.meta.url))

/**
 * @typedef {object} Service
 * @property {number} pid
 * @property {string} origin
 * @property {() => Promise<void>} kill
 * @property {(signal: 'SIGSTOP' | 'SIGCONT') => void} signal
 */

/**
 * Starts services. One more than are needed is always loading, so that a restart need not wait for that.
 * @param {object} settings of all of them
 * @param {{ program?: string, heard?: (message: any) => void }} [options] `heard` gets what they say while they run
 */
export function servicePool (settings, { program = SERVICE, heard = () => {} } = {}) {
  /** @type {Promise<import('node:child_process').ChildProcess>[]} */
  const spares = []

  return {
    /**
     * @param {object} [own] settings of this one
     * @returns {Promise<Service>}
     */
    async start (own) {
      const child = await (spares.shift() ?? load(program))
      spares.push(load(program))
      child.send({ ...settings, ...own })
      const [{ origin }] = await answerOf(child)
      child.on('message', heard)
      return {
        pid: Number(child.pid),
        origin,
        signal: name => { child.kill(name) },
        async kill () {
          const exited = once(child, 'exit')
          child.kill('SIGKILL')
          await exited
        }
      }
    },
    async close () {
      for (const child of await Promise.all(spares)) child.disconnect()
    }
  }
}

/** @param {string} program */
async function load (program) {
  const child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  await answerOf(child)
  return child
}

/** @param {import('node:child_process').ChildProcess} child */
async function answerOf (child) {
  const ended = new AbortController()
  try {
    return await Promise.race([
      once(child, 'message', { signal: ended.signal }),
      once(child, 'exit', { signal: ended.signal }).then(([code, signal]) => { throw new Error(`a service ended by itself: ${signal ?? code}`) })
    ])
  } finally {
    ended.abort()
  }
}
