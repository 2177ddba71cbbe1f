import { setTimeout as delay } from 'node:timers/promises'
import { edit, editsIn, liveKeys, note, shortKey } from './document.js'

/** @typedef {import('./document.js').EditedDocument} EditedDocument */
/** @typedef {import('./document.js').Session} Session */

/** Where most meet. */
const POPULAR = 10
/** While both instances are down. */
const TRIES_TO_OPEN = 40
const TRY_AGAIN_MS = 500
const PATIENCE_MS = 60_000

/**
 * What people do: open a document, alone or several at once, edit, force saves, lose the connection, leave.
 * @param {object} around
 * @param {string} around.url of the load balancer
 * @param {import('onlyoffice-emulator').DocumentServer} around.documentServer
 * @param {readonly EditedDocument[]} around.documents
 * @param {import('./counts.js').Counts} around.counts
 * @param {(document: EditedDocument, message: string) => void} around.forked
 */
export function createEditing ({ url, documentServer, documents, counts, forked }) {
  /** @type {Set<Promise<unknown>>} */
  const leaving = new Set()
  let users = 0

  return {
    /**
     * One editing session after the other.
     * @param {import('../kills/random.js').Random} random
     * @param {AbortSignal} signal
     */
    async work (random, signal) {
      while (!signal.aborted) await meet(random.of(random.chance(0.3) ? documents.slice(0, POPULAR) : documents), random)
    },

    /** Resolves when everybody has left. */
    async allLeft () {
      while (leaving.size > 0) await Promise.all(leaving)
    },

    /**
     * When nothing disturbs any more: somebody opens the document, gets what was kept of it, edits and leaves. Resolves
     * to whether that is saved.
     * @param {EditedDocument} document
     */
    async finish (document) {
      const session = await open(document)
      if (session === undefined) return false
      await edit(document, session, 100)
      const { accepted } = await leave(document, session)
      return accepted
    }
  }

  /**
   * @param {EditedDocument} document
   * @param {import('../kills/random.js').Random} random
   */
  async function meet (document, random) {
    const opened = await Promise.all(Array.from({ length: 1 + random.below(3) }, () => open(document)))
    let sessions = opened.filter(session => session !== undefined)
    for (let edits = random.below(8); edits > 0 && sessions.length > 0; edits--) {
      const session = random.of(sessions)
      await edit(document, session, sizeOf(random))
      if (random.chance(0.4)) await forceSave(document, session, random)
      else if (random.chance(0.1)) sessions = await blink(document, session, random) ? sessions : sessions.filter(other => other !== session)
      await delay(random.below(300))
    }
    for (const session of random.shuffled(sessions)) {
      const left = leave(document, session, { abrupt: random.chance(0.1) })
      leaving.add(left)
      left.finally(() => leaving.delete(left)).catch(() => {})
      if (random.chance(0.5)) await left
      else await delay(random.below(100))
    }
  }

  /**
   * Resolves to `undefined` if it can't be opened now.
   * @param {EditedDocument} document
   * @returns {Promise<Session | undefined>}
   */
  async function open (document) {
    const user = `u${++users}`
    for (let tries = 1; tries <= TRIES_TO_OPEN; tries++) {
      const session = await tryToOpen(document, user)
      if (session === 'not now') {
        await delay(TRY_AGAIN_MS)
        continue
      }
      const others = liveKeys(document).filter(key => key !== session.key)
      const same = document.editors.get(session.key) ?? new Set()
      if (same.size > 0) counts.joined++
      counts.editors++
      document.editors.set(session.key, same.add(session))
      note(document, `${user} edits ${shortKey(session.key)}, in which is ${editsIn(await session.content(), document.fileId)?.at(-1)}`)
      if (others.length > 0) forked(document, `${user} got the key ${shortKey(session.key)} while others edit ${others.map(shortKey).join(', ')}`)
      return session
    }
    counts.notOpened++
    return undefined
  }

  /**
   * @param {EditedDocument} document
   * @param {string} user
   * @returns {Promise<Session | 'not now'>}
   */
  async function tryToOpen (document, user) {
    const config = await ask(`/config/${document.fileId}?user=${user}`)
    if (config === undefined) return 'not now'
    try {
      const session = await documentServer.open(config)
      if (!session.viewOnly) return session
      // It was saved since: the page gets a new key.
      counts.outdated++
      await session.close()
      return 'not now'
    } catch (error) {
      note(document, `${user} could not open ${shortKey(config.document.key)}: ${error}`)
      return 'not now'
    }
  }

  /**
   * @param {EditedDocument} document
   * @param {Session} session
   * @param {import('../kills/random.js').Random} random
   */
  async function forceSave (document, session, random) {
    if (random.chance(0.8)) return await session.forceSave({ type: random.of(['button', 'command', 'timer']) })
    const edits = [...editsIn(await session.content(), document.fileId) ?? []]
    const result = await ask(`/force-save/${document.fileId}?user=${session.userId}`, { method: 'POST' })
    if (result === undefined || (result.saved === false && result.reason !== 'no-changes')) return
    counts.awaited++
    document.acknowledged.push({ edits, what: `forceSave() by the application: ${JSON.stringify(result)}` })
    note(document, `the application was told ${JSON.stringify(result)} with ${edits.at(-1)}`)
  }

  /**
   * The connection is lost for a moment. Resolves to whether the editor is back.
   * @param {EditedDocument} document
   * @param {Session} session
   * @param {import('../kills/random.js').Random} random
   */
  async function blink (document, session, random) {
    const same = document.editors.get(session.key)
    same?.delete(session)
    await session.disconnect()
    await delay(random.below(1000))
    const isBack = await session.reconnect().then(() => true, () => false)
    if (isBack) same?.add(session)
    note(document, `${session.userId} lost the connection${isBack ? ' and is back' : ''}`)
    return isBack
  }

  /**
   * @param {EditedDocument} document
   * @param {Session} session
   * @param {{ abrupt?: boolean }} [options]
   */
  async function leave (document, session, options = {}) {
    document.editors.get(session.key)?.delete(session)
    note(document, `${session.userId} leaves ${shortKey(session.key)}${options.abrupt ? ' abruptly' : ''}`)
    return await session.close(options)
  }

  /**
   * The answer, `undefined` if there was none that helps.
   * @param {string} path
   * @param {RequestInit} [options]
   */
  async function ask (path, options) {
    try {
      const response = await fetch(`${url}${path}`, { ...options, signal: AbortSignal.timeout(PATIENCE_MS) })
      const text = await response.text()
      return response.ok ? JSON.parse(text) : undefined
    } catch {
      return undefined
    }
  }
}

/**
 * Mostly small; now and then so large that it takes several requests to store it.
 * @param {import('../kills/random.js').Random} random
 */
function sizeOf (random) {
  const kind = random.below(1000)
  if (kind === 0) return 7_000_000
  return kind < 20 ? 300_000 : random.below(4000)
}
