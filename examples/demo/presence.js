/** @import { FastifyInstance } from 'fastify' */
/** @typedef {ReturnType<typeof createPresence>} Presence */

const ASK_AGAIN_MS = 3000
const ANSWER_WITHIN_MS = 10_000

/**
 * Who is editing which document. The list does not wait for the document server: it shows what was known last, and asks
 * for the next time.
 * @param {FastifyInstance} app
 */
export function createPresence (app) {
  /** @type {Map<string, { users: string[], askedAt: number }>} */
  const known = new Map()
  // Those of before the start, too.
  app.editorSessions.list({ scan: true }).catch(error =>
    app.log.warn({ err: error }, 'the sessions of before could not be read')
  )

  return {
    /**
     * IDs of the users, by document.
     * @returns {Promise<Map<string, string[]>>}
     */
    async users () {
      const live = new Set((await app.editorSessions.list()).map(({ fileId }) => fileId))
      for (const id of known.keys()) if (!live.has(id)) known.delete(id)
      for (const id of live) ask(id)
      return new Map([...known].map(([id, { users }]) => [id, users]))
    }
  }

  /** @param {string} id */
  function ask (id) {
    const { users = [], askedAt = -Infinity } = known.get(id) ?? {}
    const now = performance.now()
    if (now - askedAt < ASK_AGAIN_MS) return
    known.set(id, { users, askedAt: now })
    app.editorSessions.users(id, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).then(
      users => { if (known.has(id)) known.set(id, { users, askedAt: performance.now() }) },
      error => app.log.debug({ err: error, id }, 'who is editing could not be asked')
    )
  }
}
