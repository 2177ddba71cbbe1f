import { violated } from './invariants.js'
import type { Arguments, Page, Stage } from './actions.js'
import type { Editor, OutsideChange, Side, Trouble } from './situation.js'
import { troubles } from './troubles.js'

/** What people do during other commands. */
export interface People {
  open (side: Side, user?: number): Promise<Page>
  join (page: Page, isFresh: boolean): Promise<void>
  edit (editor: Editor): Promise<void>
}

/** Performs a task while something goes wrong. */
export type During = (trouble: Trouble | null, side: Side, key: string, task: () => Promise<void>) => Promise<void>

/** Saves while something goes wrong. */
export function saving (stage: Stage, people: People) {
  const { state, editors, observe, complete } = stage
  const { world, fileId, model, live } = state
  const begin = troubles(stage, people, change)

  return {
    change,

    async during (trouble: Trouble | null, side: Side, key: string, task: () => Promise<void>): Promise<void> {
      const isLeft = editors.every(one => one.key !== key || one.is !== 'in' || one.session.viewOnly)
      const { end, mayRefuse, around = async task => await task() } = begin(trouble, side, model.key(key))
      const { sentRequests: requests } = model.key(key).server
      const sent = requests.length
      try {
        await around(task)
      } finally {
        await end()
      }
      const refused = requests.slice(sent).filter(({ answer }) => JSON.stringify(answer?.body) === '{"error":1}')
      if (!mayRefuse && model.text() !== null && refused.length > 0) violated(`nothing went wrong, but status ${String(refused[0]!.body?.status)} was refused${isLeft ? ' though nobody is there any more' : ''}`)
      await observe()
    },

    /** The document server dies, during a save if somebody has something to save, and is started again. */
    async crash (editor: Editor | null, { side: atSide, midSave, opens, fate }: Arguments<'crash'>): Promise<void> {
      const side = editor?.side ?? atSide
      const server = world.documentServers[side]
      const closing = editor !== null && midSave ? complete(editor.session.close()) : null
      if (closing !== null) await Promise.race([closing, new Promise<void>(resolve => { world.onArrival = () => { resolve(); return 'taken' } })])
      world.onArrival = () => 'taken'
      await server.crash()
      await closing
      await world.recover()
      const mine = [...model.keys.values()].filter(one => one.server === server)
      for (const one of editors) if (one.is === 'in' && model.key(one.key).server === server) one.is = 'disconnected'
      for (const one of mine) one.ghost ||= live().has(one.key) || editors.some(({ key, is }) => is !== 'gone' && key === one.key)
      if (editor !== null) model.key(editor.key).ghost = true
      if (opens && model.text() !== null) await people.open(side)
      await server.restart({ sessions: fate })
      if (fate === 'lost') for (const one of mine) lose(one.key)
      await world.clock.advance(0)
      await world.recover()
      await observe()
    }
  }

  function lose (key: string): void {
    for (const one of editors) if (one.key === key) one.is = 'gone'
    const one = model.key(key)
    // What was stored since is newer: the plugin gives the key up when it asks about it.
    if (one.refused === 'known') one.refused = 'unknown'
    if (!one.unsaved) return
    model.discarded(key)
    const forgotten = one.server.forgotten.get(key)
    if (forgotten !== undefined) Object.assign(one, { text: Buffer.from(forgotten.bytes).toString(), unsaved: true })
  }

  async function change (how: OutsideChange, text: string, side: Side): Promise<void> {
    await world.outside.change(fileId, how, text, side)
    if (world.histories.of(fileId).at(-1)!.text === text) model.owed.add(text)
    // When the application removes a file, its record goes too.
    if (model.text() !== null || how !== 'removed by the application') return
    for (const one of model.keys.values()) {
      one.doubtful = true
      if (one.refused === 'known') one.refused = 'unknown'
    }
  }
}
