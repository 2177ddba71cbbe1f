import type { Session } from '../../../lib/testing/index.js'
import { check, equal, type State, violated } from './invariants.js'
import { createModel } from './model.js'
import { observer } from './observer.js'
import { playing } from './playing.js'
import type { Step } from './steps.js'
import type { World } from './world.js'

/** An editor in one document, as far as it can still do something. */
export interface Editor {
  readonly session: Session
  readonly key: string
  is: 'in' | 'cut' | 'gone'
}

/** A save that waits for editors to come back is sent after 5 s; one that gets no answer, three more times within 7 s. */
const SAVES_ARE_SENT_MS = 13_000
const MAX_ROUNDS = 8

/** One document's life: plays the steps, checks after each. Rejects with what went wrong and the number of the step. */
export async function run (world: World, steps: readonly Step[]): Promise<void> {
  const start = 'as uploaded'
  const fileId = await world.create(start)
  const model = createModel(start, world.profile)
  const editors: Editor[] = []
  const state: State & { spareCopies: number } = { world, fileId, model, live, spareCopies: 0 }
  const { observe, saves } = observer(state)
  const players = playing({ state, editors, saves, observe, pass, complete })

  for (const [index, step] of steps.entries()) {
    try {
      world.next(step.side)
      await players.play(step)
      await observe()
      await check(state)
    } catch (error) {
      throw new Error(`step ${index + 1}, ${JSON.stringify(step)}: ${(error as Error).message}`, { cause: error })
    }
  }
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

  /** Everybody leaves; what was refused is opened again and saved. Then every edit is stored. */
  async function end (): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      for (const editor of editors) {
        if (editor.is === 'in') await complete(editor.session.close())
        editor.is = 'gone'
      }
      await pass(SAVES_ARE_SENT_MS)
      await check(state)
      if (live().size === 0) break
      await players.play({ does: 'open', side: 'a', user: 0, joins: true })
    }
    if (live().size > 0) violated(`at the end nobody can save what is left under ${[...live()].join(', ')}`)
    equal((await world.leftovers()).join(), '', 'nothing is left but documents')
  }
}

async function isSettled (promise: Promise<unknown>): Promise<boolean> {
  const turns = new Promise<boolean>(resolve => setImmediate(() => resolve(false)))
  return await Promise.race([promise.then(() => true), turns])
}
