/**
 * Which editing session of a file is live, as far as this process has been told by callbacks.
 * Everyone who opens a file of a live session must get that session's key, also after a force save changed the content:
 * with another key two groups would edit two copies.
 */
export interface Sessions {
  liveKey (fileId: string): string | undefined
  /** Someone is editing under this key. */
  began (fileId: string, key: string): void
  /** The session ended without anything to save. */
  ended (fileId: string, key: string): void
  /** A save was stored. A finished save ends its session: the document server takes no more edits under its key. */
  saved (fileId: string, save: Save): void
  /** The save was stored already, or it is a force save of a session whose finished save was: storing it would bring old content back. */
  isOutdated (fileId: string, save: Save): boolean
}

export interface Save {
  readonly status: 2 | 6
  readonly key: string
  /** Path of the saved file at the document server. It stays the same when the document server repeats a callback; host, md5 and expires do not. */
  readonly path: string
  /** When the document was changed last, as the document server says it. The number in the path is random and short: it may come again. */
  readonly lastsave?: string
}

interface FileRecord {
  live?: string
  /** The latest ones, newest first. */
  saves?: readonly Save[]
}

/** A repeat or a late force save comes within seconds, but other saves may come before it. */
const MAX_SAVES = 8

/** Records of files without a live session that are kept to recognise repeated callbacks. */
const MAX_IDLE_RECORDS = 10_000

export function createSessions (): Sessions {
  const active = new Map<string, FileRecord>()
  const idle = new Map<string, FileRecord>()
  const recordOf = (fileId: string) => active.get(fileId) ?? idle.get(fileId) ?? {}

  function update (fileId: string, { live, ...rest }: FileRecord): void {
    active.delete(fileId)
    idle.delete(fileId)
    if (live !== undefined) {
      active.set(fileId, { live, ...rest })
    } else {
      idle.set(fileId, rest)
      if (idle.size > MAX_IDLE_RECORDS) idle.delete(idle.keys().next().value!)
    }
  }

  return {
    liveKey: fileId => active.get(fileId)?.live,
    began: (fileId, key) => update(fileId, { ...recordOf(fileId), live: key }),
    ended (fileId, key) {
      const { live, ...rest } = recordOf(fileId)
      if (live === key) update(fileId, rest)
    },
    saved (fileId, save) {
      const { live, saves = [] } = recordOf(fileId)
      const latest = { saves: [save, ...saves].slice(0, MAX_SAVES) }
      if (save.status === 6) update(fileId, { ...latest, live: save.key })
      else update(fileId, live === undefined || live === save.key ? latest : { ...latest, live })
    },
    isOutdated (fileId, { key, status, path, lastsave }) {
      const { live, saves = [] } = recordOf(fileId)
      const ofSession = saves.filter(save => save.key === key)
      const repeated = ofSession.some(save => save.status === status && save.path === path && save.lastsave === lastsave)
      const finished = live !== key && ofSession.some(save => save.status === 2)
      return repeated || (status === 6 && finished)
    }
  }
}
