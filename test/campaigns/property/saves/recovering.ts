import type { RecoveredFile } from '../../../../lib/index.js'
import type { Arguments, Stage } from './actions.js'
import type { Version } from './history.js'
import { equal, show, violated } from './invariants.js'
import type { Keyed } from './model.js'
import type { During } from './saving.js'

/** A forgotten file before a run of the recovery. */
interface Forgotten {
  readonly one: Keyed
  readonly text: string
  /** Somebody edits it. */
  readonly isEdited: boolean
  /** Nobody else has changed the file, and the plugin knows that. */
  readonly isPlain: boolean
}

/** What a run has done with it. */
interface Placed {
  readonly isKept: boolean
  /** Number of the version as which it was stored in the file; -1 if it was not. */
  readonly inFile: number
  /** Ids of its conflict copies. */
  readonly copies: readonly string[]
}

/** Each forgotten file is stored in the file or in one copy and then deleted, or it stays at the document server. */
export function recovering ({ state, situation, editors }: Stage, during: During) {
  const { world, fileId, model, live } = state
  const { histories } = world

  return async function recover ({ side, trouble }: Arguments<'recover'>): Promise<void> {
    const server = world.documentServers[side]
    const isForgotten = (one: Keyed) => one.server === server && server.forgotten.has(one.key)
    const all = [...model.keys.values()].filter(isForgotten).map(forgotten)
    if (all.length === 0) return
    const newest = model.newest()
    const created = new Set(histories.created)
    const { app } = world.instances[side]
    let results: readonly RecoveredFile[] = []
    await during(trouble, side, all[0]!.one.key, async () => { results = await app.editorServer.recoverForgotten() })

    for (const file of all) {
      const { one, text } = file
      // Somebody may have edited it before it was fetched, and may have been refused again.
      const isNew = (version: Version) => (version.text === text || version.text === one.text) && version.by === side
      const placed = {
        isKept: server.forgotten.has(one.key),
        inFile: model.versions().findIndex((version, number) => number > newest && isNew(version)),
        copies: [...histories.created].filter(id => !created.has(id) && isNew(histories.of(id)[0]!))
      }
      checkPlaces(file, placed)
      if (trouble === null) checkResult(file, placed, results)
      note(file, placed)
    }
  }

  function forgotten (one: Keyed): Forgotten {
    const { key, server, refused, doubtful, ghost, copy, base, latest } = one
    return {
      one,
      text: Buffer.from(server.forgotten.get(key)!.bytes).toString(),
      isEdited: situation.editing().some(editor => editor.key === key),
      isPlain: refused === 'known' && !doubtful && !ghost && copy === null && base === model.newest() && latest === null
    }
  }

  function checkPlaces ({ one, text, isEdited }: Forgotten, { isKept, inFile, copies }: Placed): void {
    const places = copies.length + (inFile === -1 ? 0 : 1)
    const isTouched = places > 0 || !isKept
    if (isEdited && isTouched) violated(`recovery has stored or deleted ${show(text)}, which somebody edits`)
    if (places > 1) violated(`recovery has stored ${show(text)} in ${places} places`)
    const again = textsOf(copies).find(copied => one.recovered.has(copied) && isPresent(copied, copies))
    if (again !== undefined) violated(`recovery has stored a second copy of ${show(again)}`)
    if (!isKept && !isStored(one.text)) violated(`recovery has deleted ${show(one.text)}, which is stored nowhere`)
    if (inFile === -1) return
    const [replaced, stored] = model.versions().slice(inFile - 1, inFile + 1).map(version => version.text!)
    if (!stored!.startsWith(replaced!)) violated(`recovery has replaced ${show(replaced)} with ${show(stored)}`)
  }

  /** Where nothing goes wrong. */
  function checkResult (file: Forgotten, placed: Placed, results: readonly RecoveredFile[]): void {
    const { one, text, isEdited, isPlain } = file
    const result = results.find(({ key }) => key === one.key)
    equal(result?.fileId, fileId, `recovery knows the document of ${one.key}`)
    equal(result?.kept, placed.isKept, `recovery knows whether ${one.key} is kept`)
    const { outcome, stored } = result ?? {}
    const told = (expected: string) => equal(outcome, expected, `what became of the forgotten file ${show(text)}`)
    if (outcome === 'being-edited' && !isAtRest()) return
    if (model.text() === null) return told('no-document')
    if (isEdited) return told('being-edited')
    if (placed.inFile !== -1) return told('stored')
    if (placed.copies.length > 0) {
      if (isPlain) violated(`${show(text)} was recovered as a copy though nobody else has changed the file`)
      return told('conflict')
    }
    // An instance had stored it, but could not say so. Somebody may have gone on since.
    if (outcome === 'stored') return equal(model.text()!.startsWith(text), true, 'the document has what is said to be stored')
    // An instance had made the copy, but died or could not say so. Somebody may have edited it since.
    const isThere = outcome === 'conflict' && histories.of(stored!.fileId).some(version => version.text === text)
    const isRight = (outcome === 'already-stored' || isThere) && !placed.isKept
    if (!isRight) violated(`the forgotten file ${show(text)} is not recovered: ${show(result)}`)
  }

  function note ({ one }: Forgotten, { isKept, inFile, copies }: Placed): void {
    for (const id of copies) model.copies.add(id)
    const isPlaced = inFile !== -1 || copies.length > 0
    for (const text of textsOf(copies)) one.recovered.add(text)
    if (inFile !== -1) one.recovered.add(model.versions()[inFile]!.text!)
    if (!isKept) {
      Object.assign(one, { unsaved: false, ghost: false, refused: 'no', wasForgotten: false, latest: one.text })
      Object.assign(one, { finished: true, finishedAt: null })
    } else if (isPlaced) {
      Object.assign(one, { refused: 'unknown', doubtful: true }) // its session has ended for the plugin
    }
  }

  function textsOf (copies: readonly string[]): string[] {
    return copies.map(id => histories.of(id)[0]!.text!)
  }

  /** Whether it is the present content of the document, or of a copy other than these. */
  function isPresent (text: string, copies: readonly string[]): boolean {
    return [fileId, ...histories.created].some(id => !copies.includes(id) && histories.of(id).at(-1)!.text === text)
  }

  function isStored (text: string): boolean {
    return [fileId, ...histories.created].some(id => histories.of(id).some(version => version.text === text))
  }

  /** Whether the plugin and the document servers know that nobody edits the document. */
  function isAtRest (): boolean {
    const isKeptOnly = ({ key, refused }: Keyed) => !live().has(key) || refused !== 'no'
    const isQuiet = (one: Keyed) => !one.doubtful && !one.ghost && isKeptOnly(one) && !goesOn(one)
    const nobodyEdits = editors.every(({ is, session }) => is === 'gone' || session.viewOnly)
    return nobodyEdits && [...model.keys.values()].every(isQuiet)
  }
}

/** Whether the document server goes on with a key: it could make no file of it, or waits for an editor to come back. */
function goesOn ({ key, server, unsaved }: Keyed): boolean {
  const last = server.sentRequests.findLast(({ body }) => body?.key === key && Number(body.status) <= 3)?.body
  return last?.status === 3 || (last?.status === 1 && unsaved)
}
