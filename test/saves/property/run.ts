import type { Session } from 'onlyoffice-emulator'
import { check, equal, type State, violated } from './invariants.js'
import { createModel } from './model.js'
import { observer } from './observer.js'
import { playing } from './playing.js'
import type { Side, Step } from './steps.js'
import { SIDES, type World } from './world.js'

/** An editor in one document, as far as it can still do something. */
export interface Editor {
  readonly session: Session
  readonly key: string
  readonly side: Side
  is: 'in' | 'cut' | 'gone'
}

/** A save that waits for editors to come back is sent after 5 s; one that gets no answer, three more times within 7 s. */
const SAVES_ARE_SENT_MS = 13_000
const MAX_ROUNDS = 12

/** One document's life: plays the steps, checks after each. Rejects with what went wrong and the number of the step. */
export async function run (world: World, steps: readonly Step[]): Promise<void> {
  const start = 'as uploaded'
  const fileId = await world.outside.create(start)
  const model = createModel({ versions: () => world.histories.of(fileId) })
  const editors: Editor[] = []
  let isTroubled = false
  const state: State = { world, fileId, model, live, spareCopies: 0, isTroubled: () => isTroubled }
  const { observe, saves } = observer(state)
  const players = playing({ state, editors, saves, observe, pass, complete, trouble () { isTroubled = true } })

  for (const [index, step] of steps.entries()) {
    try {
      isTroubled = false
      world.next(step.side)
      await players.play(step)
      await observe()
      await check(state)
    } catch (error) {
      throw new Error(`step ${index + 1}, ${JSON.stringify(step)}: ${(error as Error).message}`, { cause: error })
    }
  }
  isTroubled = false
  await end()

  function live (): Set<string> {
    const edited = editors.filter(({ is, session }) => is === 'in' && !session.viewOnly).map(({ key }) => key)
    return new Set([...edited, ...[...model.keys.values()].filter(({ unsaved }) => unsaved).map(({ key }) => key)])
  }

  /** Time passes; saves that were due are seen while their files can be fetched. */
  async function pass (ms: number): Promise<void> {
    const soon = Math.min(ms, SAVES_ARE_SENT_MS)
    await world.clock.advance(soon)
    await observe()
    await world.clock.advance(ms - soon)
    await observe()
  }

  /** Lets the time pass as long as something waits for it. Resolves to what came of it. */
  async function complete<Result> (task: Promise<Result>): Promise<PromiseSettledResult<Result>> {
    const settled = Promise.allSettled([task])
    await world.clock.advance(0)
    while (!await isSettled(settled)) await world.clock.advance(1000)
    await world.recover()
    return (await settled)[0]
  }

  /** Everybody leaves; what was refused is opened again and saved. Then every edit is stored, if there is a file. */
  async function end (): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await leaveAll()
      await check(state)
      if (live().size === 0 || model.text() === null) break
      for (const side of SIDES) await players.play({ does: 'open', side, user: 0, joins: true, trouble: null })
    }
    await leaveAll()
    // What the service was not told of, whoever has an old page can bring back; what has no file any more is refused then.
    for (const key of live()) {
      const { refused, server } = model.key(key)
      if (model.text() === null ? !server.forgotten.has(key) : refused !== 'known') await players.reopen(key)
    }
    await leaveAll()
    await check(state)
    for (const key of live()) {
      const { server, text } = model.key(key)
      if (model.text() !== null) violated(`at the end nobody can save what is left under ${key}`)
      equal(Buffer.from(server.forgotten.get(key)?.bytes ?? '').toString(), text, 'what has no file any more is kept by the document server')
    }
    equal((await world.leftovers()).join(), '', 'nothing is left but documents')
  }

  async function leaveAll (): Promise<void> {
    for (const editor of editors) {
      if (editor.is === 'in') await complete(editor.session.close())
      editor.is = 'gone'
    }
    await pass(SAVES_ARE_SENT_MS)
  }
}

async function isSettled (promise: Promise<unknown>): Promise<boolean> {
  const turns = new Promise<boolean>(resolve => setImmediate(() => resolve(false)))
  return await Promise.race([promise.then(() => true), turns])
}
