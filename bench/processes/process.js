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
  const { origin, fileId, fileIds } = await Promise.race([
    nextMessage('listening'),
    exited.then(([code]) => { throw new Error(`${program} exited with code ${code}`) })
  ])
  return { origin, fileId, fileIds, rss, nextMessage, openPage, send: child.send.bind(child), stop }

  /**
   * Opens the document, as a page of the application does.
   * @returns {Promise<{ config: import('onlyoffice-emulator').EditorConfig, proxyToken: string }>}
   */
  async function openPage () {
    const response = await fetch(`${origin}/page`)
    return /** @type {any} */ (await response.json())
  }

  /**
   * @param {string} type
   * @returns {Promise<any>}
   */
  function nextMessage (type) {
    return new Promise(resolve => {
      // One listener for all: two messages may arrive at once.
      child.on('message', function listener (/** @type {any} */ message) {
        if (message.type !== type) return
        child.off('message', listener)
        resolve(message)
      })
    })
  }

  async function stop () {
    child.kill()
    await exited
  }
}
