import type { DocumentServer } from 'onlyoffice-emulator'
import type { Version } from './history.js'

/** What there is under one document key, as far as the document server and the people in front of it know. */
export interface Keyed {
  readonly key: string
  readonly server: DocumentServer
  /** As the document server would save it now. */
  text: string
  /** Something was edited since the last finished save that was accepted. */
  unsaved: boolean
  /** Number of the stored version that its text goes back to. */
  base: number
  /** The copy its saves go to since the stored file was changed by others. `TAKEN`: the next save may go into another one. */
  copy: string | null
  /** What was stored last of it since it was downloaded. */
  latest: string | null
  finished: boolean
  /** When a finished save made it view-only. */
  finishedAt: number | null
  /** A finished save was refused. `known`: the service said so itself, and the document server has what it refused. */
  refused: 'no' | 'known' | 'unknown'
  /** The document server has a forgotten file of it, or opened it from one. */
  wasForgotten: boolean
  /** The version for which the service gave it. */
  readonly givenFor: number
  /** Nobody can be sure that the service knows of it, and what it goes back to: a copy too many is right, and so is another key for others. */
  doubtful: boolean
  /** Callbacks of it until the doubt may end: one of them may be under way still. */
  unsettled: number
  /** The document server died with it and could not say that nobody is there any longer. */
  ghost: boolean
}

/** For so long nobody can edit under a key that was saved. */
export const VIEW_ONLY_MS = 300_000

export const TAKEN = 'taken'

/** Where a save that was acknowledged was found. */
export interface Found {
  readonly fileId: string
  /** Number of the version there. */
  readonly version: number
}

export interface Model {
  readonly keys: Map<string, Keyed>
  /** Every edit that anyone made, unless it was given up with its session. */
  readonly owed: Set<string>
  /** Copies that sessions have made. */
  readonly copies: Set<string>
  /** The stored file's versions, oldest first. */
  versions (): readonly Version[]
  /** What is stored, `null` when it was removed. */
  text (): string | null
  newest (): number
  key (key: string, server?: DocumentServer): Keyed
  /** The document server downloads the stored file for a key. */
  downloaded (key: string, text: string): void
  edited (key: string, text: string, mark: string): void
  /** What the service knows of the key from here on is anyone's guess. */
  confuse (key: string): void
  /** The document server gives up what was not saved under a key. */
  discarded (key: string): void
}

interface Dependencies {
  readonly versions: () => readonly Version[]
}

export function createModel ({ versions }: Dependencies): Model {
  const model: Model = {
    keys: new Map(),
    owed: new Set(),
    copies: new Set(),
    versions,
    text: () => versions().at(-1)!.text,
    newest: () => versions().length - 1,

    key (key, server) {
      const known = model.keys.get(key)
      if (known !== undefined) return known
      const created: Keyed = {
        key, server: server!, text: model.text() ?? '', unsaved: false, base: model.newest(), copy: null, latest: null, finished: false, finishedAt: null, refused: 'no', wasForgotten: false, givenFor: model.newest(), doubtful: false, unsettled: 0, ghost: false
      }
      model.keys.set(key, created)
      return created
    },

    downloaded (key, text) {
      const one = model.key(key)
      const base = versions().findLastIndex(version => version.text === text)
      // What the document server has under a key that was saved for good, the service can't know.
      const isPlain = !one.finished && base === model.newest() && base === one.givenFor
      Object.assign(one, { text, base, copy: null, latest: null, finished: false, finishedAt: null, doubtful: one.doubtful || one.ghost || !isPlain })
    },

    edited (key, text, mark) {
      Object.assign(model.key(key), { text, unsaved: true })
      model.owed.add(mark)
    },

    confuse (key) {
      Object.assign(model.key(key), { doubtful: true, unsettled: 2 })
    },

    discarded (key) {
      const one = model.key(key)
      one.unsaved = false
      const kept = new Set(versions().map(({ text }) => text).concat([...model.keys.values()].filter(({ unsaved }) => unsaved).map(({ text }) => text)).flatMap(text => marksIn(text ?? '')))
      for (const mark of marksIn(one.text)) if (!kept.has(mark)) model.owed.delete(mark)
    }
  }
  return model
}

/** Each line is one edit. */
export function marksIn (text: string): string[] {
  return text.split('\n')
}
