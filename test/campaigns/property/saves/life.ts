import { type Actions, actions, type Arguments, type Page } from './actions.js'
import type { Life } from './commands.js'
import { check, equal, type State, violated } from './invariants.js'
import { checkKeptVersions } from './kept-versions.js'
import { createModel } from './model.js'
import { observer } from './observer.js'
import type { Editor, Side, Situation } from './situation.js'
import { SIDES, type World } from './world.js'

/**
 * The document server sends a save that waits for editors to come back after 5 s, and repeats an unanswered one three
 * times within 7 s.
 */
const SAVES_ARE_SENT_MS = 13_000
const MAX_ROUNDS = 12

export interface DocumentLife extends Life {
  readonly situation: Situation
  /** Lets everybody leave, and checks that every edit is stored or kept by the document server. */
  end (): Promise<void>
}

/** One document, from its upload on. Rejects with the first violation. */
export async function startLife (world: World): Promise<DocumentLife> {
  const fileId = await world.outside.create('as uploaded')
  const model = createModel({ versions: () => world.histories.of(fileId) })
  const editors: Editor[] = []
  const pages: Page[] = []
  let isTroubled = false
  const state: State = { world, fileId, model, live, spareCopies: 0, isTroubled: () => isTroubled }
  const { observe, saves } = observer(state)
  const situation: Situation = {
    model,
    editors,
    pages,
    saves,
    hasFile: () => model.text() !== null,
    editing: () => editors.filter(({ is, session }) => is === 'in' && !session.viewOnly),
    disconnected: () => editors.filter(({ is, session }) => is === 'disconnected' && !session.viewOnly)
  }
  const { reopen, ...all } = actions({ state, situation, editors, pages, observe, pass, complete, trouble () { isTroubled = true } })

  async function perform<Name extends keyof Actions> (name: Name, args: Arguments<Name>): Promise<void> {
    isTroubled = false
    world.next((args as { readonly side: Side }).side)
    await all[name](args as never)
    await observe()
    await check(state)
    isTroubled = false
  }

  return { situation, perform, end }

  /** Keys under which somebody edits or something is unsaved. */
  function live (): Set<string> {
    return new Set([...situation.editing(), ...[...model.keys.values()].filter(({ unsaved }) => unsaved)].map(({ key }) => key))
  }

  /** Time passes. Observes saves that are due while their files can still be fetched. */
  async function pass (ms: number): Promise<void> {
    const soon = Math.min(ms, SAVES_ARE_SENT_MS)
    await world.clock.advance(soon)
    await observe()
    await world.clock.advance(ms - soon)
    await observe()
  }

  /** Lets time pass until the task has settled. */
  async function complete<Result> (task: Promise<Result>): Promise<PromiseSettledResult<Result>> {
    const settled = Promise.allSettled([task])
    await world.clock.advance(0)
    while (!await isSettled(settled)) await world.clock.advance(1000)
    await world.recover()
    return (await settled)[0]
  }

  async function end (): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await leaveAll()
      await check(state)
      if ([...live()].every(isSetAside) || model.text() === null) break
      // A refused save is saved by whoever opens the document again.
      for (const side of SIDES) await perform('open', { side, user: 0, joins: true, trouble: null })
    }
    await leaveAll()
    await recoverIf(isSetAside)
    // Whoever still has the page can save what the plugin was not told of. What has no file any more is refused then.
    for (const key of live()) {
      if (model.text() === null ? forgotten(key) !== model.key(key).text : model.key(key).refused !== 'known') await reopen(key)
    }
    await leaveAll()
    await check(state)
    // A run that had stored one could not say so, and an earlier version was restored since: the next run says it.
    await recoverIf(() => true)
    for (const key of live()) {
      const { text } = model.key(key)
      if (model.text() !== null) violated(`at the end nobody can save what is left under ${key}`)
      equal(forgotten(key), text, 'the document server keeps what has no file any more')
    }
    await checkKeptVersions(state)
    equal((await world.leftovers()).join(), '', 'the directory contains documents only')
  }

  async function recoverIf (isMeant: (key: string) => boolean): Promise<void> {
    if (model.text() === null || ![...live()].some(isMeant)) return
    for (const side of SIDES) await perform('recover', { side, refuses: false, crashes: false, trouble: null })
  }

  function forgotten (key: string): string {
    return Buffer.from(model.key(key).server.forgotten.get(key)?.bytes ?? '').toString()
  }

  /** Whoever opens the document does not get the key: what is left under it comes back by recovery. */
  function isSetAside (key: string): boolean {
    return model.key(key).refused === 'set aside'
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
