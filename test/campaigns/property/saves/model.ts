import type { DocumentServer } from 'onlyoffice-emulator'
import type { Version } from './history.js'

/** The state of one document key, as the document server and its users know it. */
export interface Keyed {
  readonly key: string
  readonly server: DocumentServer
  /** What the document server would save now. */
  text: string
  /** There are edits since the last acknowledged save of status 2. */
  unsaved: boolean
  /** Number of the stored version that its text continues. */
  base: number
  /** The conflict copy its saves go to. `TAKEN`: the next save may go to another one. */
  copy: string | null
  /** What was last stored of it since it was downloaded. */
  latest: string | null
  finished: boolean
  /** When a save of status 2 made it view-only. */
  finishedAt: number | null
  /**
   * A save of status 2 was refused. `known`: by the plugin's answer, so that the plugin and the document server know of
   * it. `set aside`: an earlier version was restored since, and nobody gets the key any more.
   */
  refused: 'no' | 'known' | 'unknown' | 'set aside'
  /** The document server keeps a forgotten file of it, or has opened that. */
  wasForgotten: boolean
  /** Texts that recovery has stored. */
  readonly recovered: Set<string>
  /** The stored version for which the plugin gave it. */
  readonly givenFor: number
  /**
   * The plugin may not know of its session, or what that continues: an additional copy is allowed, and so is another
   * key for others.
   */
  doubtful: boolean
  /** Callbacks until the doubt may end: one of them may still be under way. */
  unsettled: number
  /** The document server crashed during its session and could not report the end. */
  ghost: boolean
}

/** For so long the document server opens a saved key for viewing only. */
export const VIEW_ONLY_MS = 300_000

export const TAKEN = 'taken'

/** Where an acknowledged save was found. */
export interface Found {
  readonly fileId: string
  /** Number of the version there. */
  readonly version: number
}

export interface Model {
  readonly keys: Map<string, Keyed>
  /** Every edit that must not be lost. */
  readonly owed: Set<string>
  /** Ids of conflict copies. */
  readonly copies: Set<string>
  /** The stored file's versions, oldest first. */
  versions (): readonly Version[]
  /** The stored content; `null` when the file was removed. */
  text (): string | null
  newest (): number
  key (key: string, server?: DocumentServer): Keyed
  /** Whether a document server keeps a file that was refused. */
  hasForgotten (): boolean
  /** The document server downloads the stored file for a key. */
  downloaded (key: string, text: string): void
  edited (key: string, text: string, mark: string): void
  /** From now on it is uncertain what the plugin knows of the key. */
  confuse (key: string): void
  /** The document server drops unsaved edits of a key. */
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
    hasForgotten: () => [...model.keys.values()].some(({ key, server }) => server.forgotten.has(key)),

    key (key, server) {
      const known = model.keys.get(key)
      if (known !== undefined) return known
      const created: Keyed = {
        key,
        server: server!,
        text: model.text() ?? '',
        unsaved: false,
        base: model.newest(),
        copy: null,
        latest: null,
        finished: false,
        finishedAt: null,
        refused: 'no',
        wasForgotten: false,
        recovered: new Set(),
        givenFor: model.newest(),
        doubtful: false,
        unsettled: 0,
        ghost: false
      }
      model.keys.set(key, created)
      return created
    },

    downloaded (key, text) {
      const one = model.key(key)
      const base = versions().findLastIndex(version => version.text === text)
      // The plugin cannot know what the document server has under a key that was saved with status 2.
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
      const kept = new Set(
        versions().map(({ text }) => text).concat(
          [...model.keys.values()].filter(({ unsaved }) => unsaved).map(({ text }) => text)
        ).flatMap(text => marksIn(text ?? ''))
      )
      for (const mark of marksIn(one.text)) if (!kept.has(mark)) model.owed.delete(mark)
    }
  }
  return model
}

/** Each line is one edit. */
export function marksIn (text: string): string[] {
  return text.split('\n')
}
