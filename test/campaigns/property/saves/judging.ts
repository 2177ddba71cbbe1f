import { show, type State, violated } from './invariants.js'
import { type Found, type Keyed, TAKEN } from './model.js'

/** A save that was acknowledged, as it was announced. */
export interface Announced {
  readonly fields: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Judges what the plugin did with the saves it received. */
export function judging (state: State) {
  const { world, fileId, model } = state
  const saves: Announced[] = []
  const applied = new Set<string>()

  return {
    saves,

    /** A save was acknowledged, or got no answer and may have been stored. */
    saved (one: Keyed, fields: Announced['fields'], text: string, isAccepted: boolean): void {
      const status = Number(fields.status)
      const id = `${status} ${new URL(String(fields.url)).pathname} ${String(fields.lastsave)}`
      if (applied.has(id)) return finish(one, status, isAccepted)
      const isOlder = one.latest !== null && one.latest !== text && one.latest.startsWith(text)
      const found = find(text, isOlder ? one.latest! : text)
      if (found !== undefined && isOlder && status === 6) violated(`a superseded force save was stored: ${show(text)}`)
      if (found === undefined && isAccepted && !isOlder) {
        violated(`an acknowledged save is stored nowhere: ${show(text)}`)
        model.discarded(one.key)
      }
      if (found !== undefined) {
        applied.add(id)
        if (isAccepted) saves.push({ fields, text })
        if (found.fileId === fileId) storedInto(one, found)
        else storedBeside(one, found, text)
        one.latest = text
        // A save without an answer is stored: the plugin no longer has to bring it back, but the document server still
        // keeps it.
        if (status === 2 && !isAccepted && one.refused !== 'no') one.refused = 'unknown'
      }
      finish(one, status, isAccepted)
    },

    refused (one: Keyed, status: number): void {
      if (status === 6) return
      one.recovered.clear() // another save
      one.refused = state.isTroubled() || model.text() === null ? 'unknown' : 'known'
    },

    /** The document server has deleted the changes. */
    discarded (one: Keyed): void {
      model.discarded(one.key)
      Object.assign(one, { finished: true, finishedAt: world.clock.now(), refused: 'no' })
    }
  }

  /** Where a text was stored last, provided that was after another one. */
  function find (text: string, after: string): Found | undefined {
    const places = [fileId, ...world.histories.created].flatMap(id =>
      world.histories.of(id).map((version, number) => ({ fileId: id, version: number, ...version }))
    )
    const since = text === after ? 0 : Math.min(...places.filter(place => place.text === after).map(({ at }) => at))
    return places.filter(place => place.text === text && place.at > since).sort((a, b) => a.at - b.at).at(-1)
  }

  function storedInto (one: Keyed, { version }: Found): void {
    one.base = version
    // Others may have written the same content before or after it.
    const isAmbiguous = state.isTroubled() && model.versions().filter(({ text }) => text === model.versions()[version]!.text).length > 1
    if (one.unsettled === 0) one.doubtful = isAmbiguous
    one.copy = null
  }

  function storedBeside (one: Keyed, found: Found, text: string): void {
    const { key, copy } = one
    // What was forgotten need not contain a later force save.
    const isPlain = copy === null && !one.doubtful && one.base === model.newest() && text.startsWith(model.text() ?? '') && !state.isTroubled()
    if (isPlain) violated(`a save of ${key} became a conflict copy though nobody else has changed the file: ${show(text)}`)
    // Whoever goes on editing a refused content may create another copy.
    const isSecond = copy !== null && copy !== TAKEN && copy !== found.fileId && one.refused === 'no' && !state.isTroubled()
    if (isSecond) violated(`${key} has stored a second conflict copy: ${show(text)}`)
    if (copy === null && text === model.text() && !state.isTroubled()) violated(`content that is stored already became a conflict copy: ${show(text)}`)
    // Of two copies by instances that did not know of each other, later saves may go to either.
    one.copy = state.isTroubled() ? TAKEN : found.fileId
    model.copies.add(found.fileId)
    // An instance that died in between has called no hook.
    if (!state.isTroubled() && !world.saved.some(event => event.key === key && event.conflict && event.stored.fileId === found.fileId)) {
      violated(`onSaved was not called for a save of ${key} that became a conflict copy`)
    }
  }

  function finish (one: Keyed, status: number, isAccepted: boolean): void {
    if (status !== 2) return
    if (!isAccepted) {
      // It may have been stored without an answer, and its session ended for the plugin.
      one.doubtful = true
      return
    }
    Object.assign(one, {
      unsaved: false,
      finished: true,
      finishedAt: one.wasForgotten ? null : world.clock.now(),
      ghost: false,
      refused: 'no',
      wasForgotten: false
    })
  }
}
