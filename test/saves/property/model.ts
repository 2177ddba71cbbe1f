import type { Profile } from '../../../lib/index.js'

/** What there is under one document key. */
export interface Keyed {
  readonly key: string
  /** As the document server would save it now. */
  text: string
  /** Something was edited since the last finished save that was accepted. */
  unsaved: boolean
  /** The version of the stored content that its text goes back to. */
  base: number
  /** The copy its saves go to since the stored file was changed by others: its place among the copies. `TAKEN`: the next save makes one. */
  copy: number | null
  /** What was stored last of it since it was downloaded. */
  latest: string | null
  finished: boolean
  /** When a finished save made it view-only. */
  finishedAt: number | null
  wasRefused: boolean
  /** The version of the stored content that the service gave it for. */
  readonly givenFor: number
  /** Nobody can tell the service what its content goes back to: a copy too many is right, too. */
  doubtful: boolean
  /** The document server died with it and could not say that nobody is there any longer. */
  ghost: boolean
  /** Its page was rendered before the file was changed: others need not be sent there. */
  strayed: boolean
  /** It was edited again while the service knows that this can't be: the document server has lost that it was saved. */
  unheard: boolean
}

/** For so long nobody can edit under a key that was saved. */
export const VIEW_ONLY_MS = 300_000

/** Its copy was edited as a document of its own. */
const TAKEN = -1

/** What became of an acknowledged save. */
export type Outcome = 'repeated' | 'late' | 'stored' | 'beside'

/** What the stored file, the copies and the document server must hold: a file's life in plain rules. */
export interface Model {
  main: { readonly text: string, readonly version: number }
  /** Texts of conflict copies. */
  readonly copies: string[]
  /** Copies that may be there as well: of refused saves that were edited further. */
  spareCopies: number
  readonly keys: Map<string, Keyed>
  /** Edits that must be found somewhere. */
  readonly owed: Set<string>
  key (key: string): Keyed
  /** Somebody edits under a key where nobody was. */
  began (key: string): void
  /** The document server downloads the stored file for a key. */
  downloaded (key: string, at: number): void
  edited (key: string, text: string, mark: string): void
  /** A save was acknowledged. `actual` is what is stored now: it decides where the rules allow two outcomes. */
  acknowledged (save: { readonly key: string, readonly status: number, readonly id: string, readonly text: string, readonly at: number }, actual: string | null): Outcome
  changedOutside (text: string, mark: string): void
  /** Somebody edits a copy as a document of its own: no session it came from saves into it any more. */
  copyTaken (place: number): void
  copySaved (place: number, text: string, mark: string): void
  /** The document server gives up what was not saved under a key; `endedAt` when it was told to. */
  discarded (key: string, endedAt?: number): void
}

export function createModel (text: string, profile: Profile): Model {
  const applied = new Set<string>()

  const model: Model = {
    main: { text, version: 0 },
    copies: [],
    spareCopies: 0,
    keys: new Map(),
    owed: new Set(),

    key (key) {
      const known = model.keys.get(key)
      if (known !== undefined) return known
      const { main: { text, version } } = model
      const created: Keyed = {
        key, text, unsaved: false, base: version, copy: null, latest: null, finished: false, finishedAt: null, wasRefused: false, givenFor: version, doubtful: false, ghost: false, unheard: false, strayed: false
      }
      model.keys.set(key, created)
      return created
    },

    began (key) {
      const one = model.key(key)
      one.strayed = !one.finished && one.givenFor !== model.main.version
      one.doubtful ||= one.strayed
    },

    downloaded (key, at) {
      const { main: { text, version } } = model
      const one = model.key(key)
      const isPlain = one.finished || one.givenFor === version
      const unheard = one.finishedAt !== null && at - one.finishedAt < VIEW_ONLY_MS
      Object.assign(one, { unheard, text, base: version, copy: null, latest: null, finished: false, finishedAt: null, wasRefused: false, doubtful: !isPlain || one.ghost })
    },

    edited (key, text, mark) {
      Object.assign(model.key(key), { text, unsaved: true })
      model.owed.add(mark)
    },

    acknowledged ({ key, status, id, text, at }, actual) {
      const one = model.key(key)
      if (applied.has(`${status} ${id}`)) return 'repeated'
      applied.add(`${status} ${id}`)
      const isOlder = one.latest !== null && one.latest !== text && one.latest.startsWith(text)
      if (status === 6 && (one.finished || isOlder)) return 'late'
      one.latest = text
      if (status === 2) finish(one, at)
      return store(one, text, actual)
    },

    changedOutside (text, mark) {
      replaceMain(text)
      model.owed.add(mark)
    },

    copyTaken (place) {
      for (const one of model.keys.values()) if (one.copy === place) one.copy = TAKEN
    },

    copySaved (place, text, mark) {
      model.copies[place] = text
      model.owed.add(mark)
    },

    discarded (key, endedAt) {
      const one = model.key(key)
      Object.assign(one, { unsaved: false }, endedAt !== undefined && { finished: true, finishedAt: endedAt })
      forgive(one.text)
    }
  }
  return model

  function finish (one: Keyed, at: number): void {
    Object.assign(one, { unsaved: false, finished: true, finishedAt: one.wasRefused ? null : at, ghost: false, unheard: false, strayed: false })
  }

  function store (one: Keyed, text: string, actual: string | null): Outcome {
    const wasChanged = one.copy !== null || one.base !== model.main.version || (one.doubtful && actual !== text)
    if (!wasChanged || profile === 'classic') {
      if (text !== model.main.text) replaceMain(text)
      Object.assign(one, { base: model.main.version, doubtful: false })
      return 'stored'
    }
    if (one.copy !== null && one.wasRefused) model.spareCopies++
    if (one.copy === null || one.copy === TAKEN) one.copy = model.copies.length
    model.copies[one.copy] = text
    return 'beside'
  }

  function replaceMain (text: string): void {
    const before = model.main
    model.main = { text, version: before.version + 1 }
    forgive(before.text)
  }

  /** What was overwritten or given up, and is nowhere else, is nobody's fault. */
  function forgive (text: string): void {
    const places = [model.main.text, ...model.copies, ...[...model.keys.values()].filter(({ unsaved }) => unsaved).map(({ text }) => text)]
    const kept = new Set(places.flatMap(marksIn))
    for (const mark of marksIn(text)) if (!kept.has(mark)) model.owed.delete(mark)
  }
}

/** Each line is one edit. */
export function marksIn (text: string): string[] {
  return text.split('\n')
}
