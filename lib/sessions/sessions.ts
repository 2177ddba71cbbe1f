import type { FileInfo, Storage } from '../../types/storage.js'
import type { DocumentKeys } from './document-key.js'
import type { Locks } from './locks.js'
import { began, ended, givenUp, heardOf, isDoubtful, isJoinable, refused } from './live-sessions.js'
import { type FileRecord, finishedKeys, type LiveSession, sessionOf } from './record.js'
import { EPHEMERAL, type Records } from './record-store.js'
import { settled, stored } from './stored-saves.js'

/**
 * Which editing session of a file is live, as far as callbacks have told.
 * Everyone who opens a file of a live session must get that session's key, also after a force save changed the content:
 * with another key two groups would edit two copies.
 */
export interface Sessions {
  /** The document key for whoever opens this content now. */
  keyFor (content: FileInfo): Promise<string>
  /** Someone is editing under this key. */
  began (fileId: string, key: string): Promise<void>
  /** The session ended without anything to save. */
  ended (fileId: string, key: string): Promise<void>
  /** The document server ended the session, and there is nothing of it to store. */
  lost (fileId: string, key: string): Promise<void>
  /** A save of the session was refused: the document server keeps it under this key. */
  refused (fileId: string, key: string): Promise<void>
}

interface Dependencies {
  readonly storage: Pick<Storage, 'stat'>
  readonly records: Records
  readonly locks: Pick<Locks, 'settle'>
  readonly keys: DocumentKeys
  /** Asks the document server. Resolves to `undefined` when it does not say. */
  readonly isKnown: (key: string) => Promise<boolean | undefined>
  /** Milliseconds after which a session that was not heard of is asked for. */
  readonly askAfter: number
}

/** How often a session that is heard of is noted as alive. */
const NOTED_EVERY = 10

/** How often the document server is asked for a session that nobody is sent to. */
const SUSPECTED_EVERY_MS = 60_000
const MAX_SUSPECTED = 10_000

const MAX_LOOKS = 20

export function createSessions ({ storage, records, locks, keys, isKnown, askAfter }: Dependencies): Sessions {
  /** Of one session at a time: pages are opened by many. */
  const asked = new Map<string, Promise<boolean | undefined>>()

  const suspected = new Map<string, number>()

  return {
    async keyFor (content) {
      const { fileId } = content
      const passedOver = new Set<string>()
      for (;;) {
        const { record, current } = await look(content)
        for (const session of record.live) if (isSuspect(session, current)) isStillLive(fileId, session).catch(() => {})
        const session = record.live.find(one => isJoinable(one, keys, current) && !passedOver.has(one.key))
        if (session === undefined) return keys.of(current, finishedKeys(record))
        if (isRecent(session) || await isStillLive(fileId, session)) return session.key
        passedOver.add(session.key)
      }
    },

    async began (fileId, key) {
      const content = await storage.stat(fileId)
      if (content === null) return
      const isNoted = (record: FileRecord) => {
        const session = sessionOf(record, key)
        return session !== undefined && Date.now() - session.heard < askAfter / NOTED_EVERY
      }
      await records.change(fileId, record => isNoted(record) ? record : began(record, keys, key, content, Date.now()), EPHEMERAL)
    },

    async ended (fileId, key) {
      await records.change(fileId, record => ended(record, key), EPHEMERAL)
    },

    async lost (fileId, key) {
      if (await storage.stat(fileId) === null) return
      await records.change(fileId, record => finishedKeys(record).has(key) ? record : stored(record, { key, status: 2, at: Date.now() }))
    },

    async refused (fileId, key) {
      const content = await storage.stat(fileId)
      if (content !== null) await records.change(fileId, record => refused(record, keys, key, content, Date.now()))
    }
  }

  /** What is remembered and what is stored at one moment. */
  async function look (content: FileInfo): Promise<{ record: FileRecord, current: FileInfo }> {
    const { fileId } = content
    for (let looks = 1; ; looks++) {
      const seen = await records.read(fileId)
      await locks.settle(fileId, seen).catch(() => {})
      const current = await storage.stat(fileId) ?? content
      const { record, version } = await records.read(fileId)
      if (version === seen.version || looks === MAX_LOOKS) return { record: settled(record, current.revision), current }
    }
  }

  function isRecent (session: LiveSession): boolean {
    return !isDoubtful(session) && Date.now() - session.heard < askAfter
  }

  /** The file was changed though nobody has told that the session is over: nobody is sent there, but it may well be over. */
  function isSuspect ({ key, base }: LiveSession, { fileId, revision }: FileInfo): boolean {
    if (base === undefined || base === revision || keys.isOfAnotherServer(fileId, key)) return false
    if (Date.now() - (suspected.get(key) ?? 0) < SUSPECTED_EVERY_MS) return false
    if (suspected.size > MAX_SUSPECTED) suspected.clear()
    suspected.set(key, Date.now())
    return true
  }

  /** Notes what the document server says. That it can't be noted keeps nobody from opening a document. */
  async function isStillLive (fileId: string, session: LiveSession): Promise<boolean> {
    const { key } = session
    const asking = asked.get(key) ?? isKnown(key).finally(() => asked.delete(key))
    asked.set(key, asking)
    const answer = await asking
    // A doubtful session is not to be trusted, unless what was refused can be found there alone.
    if (answer === undefined && isDoubtful(session) && session.refused !== true) return false
    const isLive = answer ?? true
    const noted = await records.change(fileId, record => isLive ? heardOf(record, key, Date.now()) : gaveUp(record, session), EPHEMERAL).catch(() => undefined)
    // Meanwhile a callback may have told that everybody has left, or that somebody has come.
    return noted === undefined ? isLive : sessionOf(noted, key) !== undefined
  }
}

/** Unless it was heard of meanwhile. */
function gaveUp (record: FileRecord, { key, heard }: LiveSession): FileRecord {
  const session = sessionOf(record, key)
  return session === undefined || session.heard > heard ? record : givenUp(record, key)
}
