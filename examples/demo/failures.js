import { setTimeout as delay } from 'node:timers/promises'

/** @import { FastifyInstance } from 'fastify' */
/** @import { EditorStorage } from 'fastify-onlyoffice' */
/** @import { DocumentServer } from 'onlyoffice-emulator' */
/** @typedef {keyof typeof kinds} Kind */
/** @typedef {ReturnType<typeof createFailures>} Failures */

/** How long the application is gone when it is restarted. */
const DOWN_MS = 5000
const LOOK_EVERY_MS = 1500
const SAVED_WITHIN_MS = 10_000
/** Editors that lost their connection are back by then, with what was typed meanwhile. */
const WATCHED_AFTER_MS = 20_000

export const kinds = {
  disk: {
    label: 'Disk full',
    text: 'The storage refuses every write, as a full disk does.',
    why: 'The disk is full. The document server keeps the changes.'
  },
  server: {
    label: 'Document server down',
    text: 'It cuts all connections and answers nobody.',
    why: 'The document server is down. It has the changes on its disk, and the browser has what is typed now.'
  },
  restart: {
    label: 'Application restarted',
    text: `This application ends, and starts again after ${DOWN_MS / 1000} seconds.`,
    why: 'The application is not running. The document server keeps the changes.'
  },
  refusal: {
    label: 'Save refused',
    text: 'The check of contents, where a virus scanner would be, rejects every save.',
    why: 'The save was refused. The document server keeps the changes.'
  }
}

/**
 * Failures that a visitor causes, one at a time: they really happen. It outlives the application, which one of them
 * restarts.
 * @param {{ documentServer: DocumentServer | null, restart: (pauseMs: number) => Promise<void> }} parts
 *   `documentServer`: `null` if it is not the embedded one.
 */
export function createFailures ({ documentServer, restart }) {
  /** @type {FastifyInstance | null} */
  let app = null
  /** @type {Kind | null} */
  let active = null
  /** @type {{ kind: Kind, from: Date, to: Date | null } | null} */
  let latest = null
  /** What the failure is about: when each document was stored after it; `null` while it waits. @type {Map<string, Date | null>} */
  const documents = new Map()
  let isLooking = false

  return {
    offered: /** @type {Kind[]} */ (Object.keys(kinds)).filter(kind => kind !== 'server' || documentServer !== null),

    /**
     * Connects an application that has started.
     * @param {FastifyInstance} started
     */
    connect (started) {
      app = started
      started.addHook('preClose', async () => { app = null })
    },

    /** The state, for the page. */
    report: () => ({ active, latest, documents: [...documents].map(([id, storedAt]) => ({ id, storedAt })) }),

    /** @param {Kind} kind */
    async cause (kind) {
      if (active !== null) return
      active = kind
      latest = { kind, from: new Date(), to: null }
      documents.clear()
      if (kind === 'server') await documentServer?.crash()
      if (kind === 'restart') {
        for (const id of await open()) documents.set(id, null)
        restart(DOWN_MS).then(end)
      }
      look()
    },

    end,

    /**
     * A storage whose disk is full while that is the failure.
     * @template {EditorStorage} Storage
     * @param {Storage} storage
     */
    onDisk (storage) {
      const methods = /** @type {Record<string, (...args: unknown[]) => Promise<unknown>>} */ (/** @type {unknown} */ (storage))
      for (const name of ['stage', 'create', 'replace']) {
        const write = methods[name]
        methods[name] = async (...args) => {
          if (active === 'disk') throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
          return await write?.(...args)
        }
      }
      return storage
    },

    /** The plugin's hook `inspect`. */
    inspect () {
      return active !== 'refusal' || { reject: /** @type {const} */ (true), message: 'This demo refuses every save at the moment.' }
    },

    /** @param {string} fileId */
    noteSaved (fileId) {
      if (isWatched()) documents.set(fileId, new Date())
    },

    /** @param {string} fileId */
    noteFailed (fileId) {
      if (active !== null) documents.set(fileId, null)
    }
  }

  async function end () {
    if (active === null) return
    if (active === 'server') await documentServer?.restart({ sessions: 'kept' })
    active = null
    if (latest) latest.to = new Date()
    look()
  }

  function isWatched () {
    if (latest === null) return false
    return latest.to === null || Date.now() - Number(latest.to) < WATCHED_AFTER_MS
  }

  /** Has what is open saved again and again, so that nobody has to wait for a failure, or for its end. */
  async function look () {
    if (isLooking) return
    isLooking = true
    while (isWatched() || [...documents.values()].includes(null)) {
      const ids = await open()
      await Promise.all(ids.filter(id => active === null || documents.get(id) !== null).map(save))
      await recover().catch(() => {}) // the document server is down
      await delay(LOOK_EVERY_MS, undefined, { ref: false })
    }
    isLooking = false
  }

  /** Documents that are being edited. */
  async function open () {
    const sessions = await app?.editorSessions.list() ?? []
    return sessions.map(({ fileId }) => fileId)
  }

  /** @param {string} id */
  async function save (id) {
    try {
      const control = await app?.editorControl().openDocument(id)
      const { saved } = await control?.forceSave({ timeout: SAVED_WITHIN_MS, grace: 0 }) ?? {}
      // It was open, but nobody has changed it.
      if (saved === false && !isWatched() && documents.get(id) === null) documents.delete(id)
    } catch {
      if (active !== null) documents.set(id, null)
    }
  }

  /** What could not be saved although everybody had left. */
  async function recover () {
    const files = await app?.editorServer.recoverForgotten({ dryRun: active !== null }) ?? []
    for (const { fileId, outcome } of files) {
      if (fileId === undefined) continue
      if (outcome === 'recoverable' || outcome === 'failed') documents.set(fileId, null)
      if (['stored', 'conflict', 'already-stored', 'handed-over'].includes(outcome)) documents.set(fileId, new Date())
    }
  }
}
