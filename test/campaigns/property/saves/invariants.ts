import { type Keyed, marksIn, type Model, VIEW_ONLY_MS } from './model.js'
import type { Side } from './situation.js'
import { SIDES, type World } from './world.js'

export interface State {
  readonly world: World
  readonly fileId: string
  readonly model: Model
  /** Keys under which somebody edits or something is waiting to be saved. */
  live (): Set<string>
  /** Additional copies that the plugin could not avoid. */
  spareCopies: number
  /**
   * Whether something went wrong during this command that leaves the plugin no better choice than to create an
   * additional copy.
   */
  isTroubled (): boolean
}

/** Rejects with the first violation. */
export async function check (state: State): Promise<void> {
  await checkContents(state)
  if (state.model.text() !== null) await checkKeys(state)
  await state.world.recover()
}

/**
 * No content is overwritten by one that does not continue it, no edit is lost, and the document server has what was
 * refused.
 */
async function checkContents (state: State): Promise<void> {
  const { world, fileId, model, spareCopies } = state
  const { histories, outside } = world
  if (histories.faults.length > 0) violated(histories.faults.join('; '))
  for (const id of [fileId, ...histories.created]) equal(await outside.textOf(id), histories.of(id).at(-1)!.text, 'the stored content is what was stored last')
  const orphans = [...histories.created].filter(id => !model.copies.has(id))
  if (orphans.length > spareCopies) violated(`there are unexpected conflict copies: ${orphans.map(id => show(histories.of(id).at(-1)!.text)).join(', ')}`)

  for (const one of model.keys.values()) {
    const copy = one.server.forgotten.get(one.key)
    // Whoever goes on editing it has a longer text.
    if (copy !== undefined && !one.text.startsWith(Buffer.from(copy.bytes).toString())) violated(`the document server keeps ${show(Buffer.from(copy.bytes).toString())} of what was refused, not ${show(one.text)}`)
  }
  const places = found(state)
  const lost = [...model.owed].filter(mark => !places.has(mark))
  if (lost.length > 0) violated(`edits are lost: ${lost.join(', ')}`)
}

/** Edits that are stored, that others have overwritten, or that the document server has yet to save. */
function found ({ world, fileId, model }: State): Set<string> {
  const texts = [fileId, ...world.histories.created].flatMap(id => {
    const versions = world.histories.of(id)
    return versions.filter((_version, number) => number === versions.length - 1 || isForeign(versions[number + 1]!.by))
  }).map(({ text }) => text ?? '')
  for (const { unsaved, text } of model.keys.values()) if (unsaved) texts.push(text)
  return new Set(texts.flatMap(marksIn))
}

function isForeign (by: string): boolean {
  return by !== 'a' && by !== 'b'
}

/** Both instances give one key: that of the live session, or one under which the document can be edited. */
async function checkKeys (state: State): Promise<void> {
  const { world, model } = state
  const keys = { a: await openedKey(state, 'a'), b: await openedKey(state, 'b') }
  if (!world.moving) equal(keys.b, keys.a, 'both instances give the same key')
  for (const side of SIDES) {
    const key = keys[side]
    const allowed = keysToJoin(state, side)
    if (allowed !== null && !allowed.has(key)) violated(`whoever opens the document gets the key ${key}, but ${[...allowed].join(', ')} is live`)
    const one = model.keys.get(key)
    if (one === undefined) continue
    if (one.refused === 'set aside') violated(`whoever opens the document gets ${key}, which a restore has set aside`)
    if (one.server !== world.documentServers[side]) {
      violated(`whoever opens the document gets the key ${key} of another document server`)
    }
    if (state.live().has(key) && !isUpToDate(state, one)) {
      violated(
        `whoever opens the document joins a session of old content: ${show(one.text)} instead of ${show(model.text())}`
      )
    }
    if (one.finishedAt !== null && !one.doubtful && world.clock.now() - one.finishedAt < VIEW_ONLY_MS) {
      violated(`whoever opens the document gets the key ${key}, which was saved a moment ago and cannot be edited`)
    }
  }
}

/**
 * Whether those who join a session see what is stored, or bring back what was refused. Nobody tells the plugin that a
 * crash has lost what it had refused.
 */
export function isUpToDate ({ model }: Pick<State, 'model'>, { text, refused, unsaved, ghost }: Keyed): boolean {
  return text.startsWith(model.text() ?? '') || (mayComeBack(refused) && (unsaved || ghost))
}

/**
 * Keys that may be given to whoever opens the document now. `null`: the plugin cannot know of a session that others
 * should join.
 */
export function keysToJoin ({ model, live, world }: Pick<State, 'model' | 'live' | 'world'>, side: Side): Set<string> | null {
  const alive = live()
  const here = [...model.keys.values()].filter(({ server }) => server === world.documentServers[side])
  const wanted = here.filter(one => alive.has(one.key) && (isPlain(model, one) || (one.refused === 'known' && one.unsaved)))
  if (wanted.length === 0) return null
  const others = here.filter(({ doubtful, ghost, refused }) => doubtful || ghost || mayComeBack(refused))
  return new Set([...wanted, ...others].map(({ key }) => key))
}

/** Whether whoever opens the document may get what was refused. */
function mayComeBack (refused: Keyed['refused']): boolean {
  return refused === 'known' || refused === 'unknown'
}

/** Whether the plugin knows of the session, and the session continues what is stored. */
function isPlain (model: Model, { doubtful, ghost, base, copy }: Keyed): boolean {
  return !doubtful && !ghost && copy === null && base === model.newest()
}

async function openedKey ({ world: { instances }, fileId }: State, side: Side): Promise<string> {
  return (await instances[side].app.editorControl().openDocument(fileId)).documentKey
}

export function equal (actual: unknown, expected: unknown, rule: string): void {
  if (actual !== expected) violated(`${rule}: expected ${show(expected)}, got ${show(actual)}`)
}

export function violated (message: string): never {
  throw new Error(message)
}

export function show (value: unknown): string {
  return JSON.stringify(value)
}
