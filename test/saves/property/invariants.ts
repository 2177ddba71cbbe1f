import { marksIn, type Model, VIEW_ONLY_MS } from './model.js'
import type { World } from './world.js'

export interface State {
  readonly world: World
  readonly fileId: string
  readonly model: Model
  /** Keys under which somebody edits or something is waiting to be saved. */
  live (): Set<string>
  /** Copies that an instance's death or a failing disk may have left behind. */
  readonly spareCopies: number
}

/** Rejects with what is wrong. */
export async function check (state: State): Promise<void> {
  await checkContents(state)
  await checkKeys(state)
}

/** What is stored is the newest that was acknowledged; nothing is lost; what was refused is at the document server. */
async function checkContents ({ world, fileId, model, spareCopies }: State): Promise<void> {
  equal(await world.textOf(fileId), model.main.text, 'the stored content is the newest acknowledged')
  const copies: string[] = []
  for (const id of world.createdFiles()) copies.push(await world.textOf(id) ?? '')
  for (const text of model.copies) {
    if (!copies.includes(text)) violated(`a conflict copy is missing: ${show(text)}, there are ${copies.map(show).join(', ') || 'none'}`)
  }
  if (copies.length > model.copies.length + model.spareCopies + spareCopies) violated(`${copies.length} conflict copies instead of ${model.copies.length}: ${copies.map(show).join(', ')}`)

  const { forgotten } = world.documentServer
  const places = [model.main.text, ...model.copies]
  for (const one of model.keys.values()) {
    const copy = forgotten.get(one.key)
    // Whoever edits it further has a longer text.
    if (copy !== undefined && !one.text.startsWith(Buffer.from(copy.bytes).toString())) violated(`the document server keeps ${show(Buffer.from(copy.bytes).toString())} of what was refused, not ${show(one.text)}`)
    if (one.unsaved) places.push(one.text)
  }
  const found = new Set(places.flatMap(marksIn))
  const lost = [...model.owed].filter(mark => !found.has(mark))
  if (lost.length > 0) violated(`edits are lost: ${lost.join(', ')}`)
}

/** All who open now get one key: that of the live session, or one that can be edited. */
async function checkKeys (state: State): Promise<void> {
  const { world, fileId, model } = state
  const keys = keysToJoin(state)
  const key = await openedKey(world, 'a', fileId)
  equal(await openedKey(world, 'b', fileId), key, 'both instances give one key')
  if (keys !== null && !keys.has(key)) violated(`whoever opens gets the key ${key}, but ${[...keys].join(', ')} is live`)
  const { finishedAt = null } = model.keys.get(key) ?? {}
  if (finishedAt !== null && world.clock.now() - finishedAt < VIEW_ONLY_MS) violated(`whoever opens gets the key ${key}, which was saved a moment ago and can't be edited`)
}

/** Keys whoever opens now may be given; `null`: the service can't know of a session that others should join. */
export function keysToJoin ({ model, live }: Pick<State, 'model' | 'live'>): Set<string> | null {
  const keys = live()
  if ([...keys].every(key => model.key(key).unheard || model.key(key).strayed)) return null
  for (const { key, ghost } of model.keys.values()) if (ghost) keys.add(key)
  return keys
}

async function openedKey ({ instances }: World, side: 'a' | 'b', fileId: string): Promise<string> {
  return (await instances[side].app.editorControl().openDocument(fileId)).documentKey
}

export function equal (actual: unknown, expected: unknown, rule: string): void {
  if (actual !== expected) violated(`${rule}: expected ${show(expected)}, got ${show(actual)}`)
}

export function violated (message: string): never {
  throw new Error(message)
}

function show (value: unknown): string {
  return JSON.stringify(value)
}
