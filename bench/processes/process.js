import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/**
 * Starts a program of this folder. It reports its origin when it listens, and may report its memory.
 * @param {string} program
 * @param {Record<string, string>} environment
 */
export async function startProcess (program, environment) {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), { env: { ...process.env, ...environment } })
  /** @type {number[]} */
  const rss = []
  child.on('message', (/** @type {any} */ { type, rss: sample }) => {
    if (type === 'rss') rss.push(sample)
  })
  const exited = once(child, 'exit')
  const { origin, fileId } = await Promise.race([
    nextMessage('listening'),
    exited.then(([code]) => { throw new Error(`${program} exited with code ${code}`) })
  ])
  return { origin, fileId, rss, nextMessage, openPage, send: child.send.bind(child), stop }

  /**
   * Opens the document, as a page of the application does.
   * @returns {Promise<{ config: import('onlyoffice-emulator').EditorConfig, proxyToken: string }>}
   */
  async function openPage () {
    const response = await fetch(`${origin}/page`)
    return /** @type {any} */ (await response.json())
  }

  /** @param {string} type */
  async function nextMessage (type) {
    for (;;) {
      const [message] = await once(child, 'message')
      if (message.type === type) return message
    }
  }

  async function stop () {
    child.kill()
    await exited
  }
}
