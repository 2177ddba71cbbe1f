import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const SERVICE = fileURLToPath(new URL('service.js', import.meta.url))

/** @typedef {{ pid: number, origin: string, kill: () => Promise<void> }} Service */

/**
 * Starts services. One more than are needed is always loading, so that a restart need not wait for that.
 * @param {{ directory: string, documentServer: string }} settings
 */
export function servicePool (settings) {
  /** @type {Promise<import('node:child_process').ChildProcess>[]} */
  const spares = []

  return {
    /** @returns {Promise<Service>} */
    async start () {
      const child = await (spares.shift() ?? load())
      spares.push(load())
      child.send(settings)
      const [{ origin }] = await answerOf(child)
      return {
        pid: Number(child.pid),
        origin,
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

async function load () {
  const child = fork(SERVICE, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
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
