import type { FileInfo, Storage } from '../../types/storage.js'
import type { DocumentKeys } from './document-key.js'
import { began, ended, type FileRecord, finishedKeys, isDownloadedAnew, isLive, type LiveSession, refused, settled, stored } from './record.js'
import type { Records } from './records.js'

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
  readonly keys: DocumentKeys
  /** Asks the document server. Resolves to true when it does not say. */
  readonly isKnown: (key: string) => Promise<boolean>
  /** Milliseconds after which a session that was not heard of is asked for. */
  readonly askAfter: number
}

/** How often a session that is heard of is noted as alive. */
const NOTED_EVERY = 10

export function createSessions ({ storage, records, keys, isKnown, askAfter }: Dependencies): Sessions {
  /** Of one session at a time: pages are opened by many. */
  const asked = new Map<string, Promise<boolean>>()

  return {
    async keyFor (content) {
      const { fileId } = content
      for (;;) {
        const noted = await records.read(fileId)
        // After the record: a session that has ended by then must not be taken for one of the content before its save.
        const current = await storage.stat(fileId) ?? content
        const record = settled(noted, current.revision)
        const session = record.live.find(isJoined)
        if (session === undefined) return keys.of(current, finishedKeys(record))
        if (Date.now() - session.heard < askAfter || await isStillKnown(fileId, session)) return session.key
        await records.change(fileId, current => gaveUp(current, session))
      }
    },

    async began (fileId, key) {
      const content = await storage.stat(fileId)
      if (content === null) return
      const now = Date.now()
      await records.change(fileId, record => isFresh(record, key, now) ? record : began(record, key, baseOf(record, content, key), now))
    },

    async ended (fileId, key) {
      await records.change(fileId, record => isLive(record, key) ? ended(record, key) : record)
    },

    async lost (fileId, key) {
      if (await storage.stat(fileId) === null) return
      await records.change(fileId, record => finishedKeys(record).has(key) ? record : stored(record, { key, status: 2, at: Date.now() }))
    },

    async refused (fileId, key) {
      const content = await storage.stat(fileId)
      if (content === null) return
      await records.change(fileId, record => refused(record, key, baseOf(record, content, key), Date.now()))
    }
  }

  /** What the document server downloads now: unless it may have an earlier content under this key, which nobody knows. */
  function baseOf (record: FileRecord, content: FileInfo, key: string): string | undefined {
    const mayBeCached = keys.isFor(content.fileId, key) && !keys.isOf(content, key) && !isDownloadedAnew(record, key)
    return mayBeCached ? undefined : content.revision
  }

  function isFresh ({ live }: FileRecord, key: string, now: number): boolean {
    const session = live.find(one => one.key === key)
    return session !== undefined && now - session.heard < askAfter / NOTED_EVERY
  }

  async function isStillKnown (fileId: string, session: LiveSession): Promise<boolean> {
    const asking = asked.get(session.key) ?? isKnown(session.key).finally(() => asked.delete(session.key))
    asked.set(session.key, asking)
    if (!await asking) return false
    const record = await records.change(fileId, record => isLive(record, session.key) ? began(record, session.key, session.base, Date.now()) : record)
    return isLive(record, session.key) // it may have said by a callback that everybody has left
  }
}

/**
 * A session of a page that was rendered before the file was changed shows what is not in the file, and its saves are kept
 * apart: nobody else is sent there, unless to bring back what was refused.
 */
function isJoined ({ base, refused }: LiveSession): boolean {
  return base !== undefined || refused === true
}

/** Unless it was heard of meanwhile. */
function gaveUp (record: FileRecord, { key, heard }: LiveSession): FileRecord {
  const session = record.live.find(one => one.key === key)
  return session === undefined || session.heard > heard ? record : ended(record, key)
}
