import type { EditorConfig } from '../../../lib/testing/index.js'
import { equal, keysToJoin, violated } from './invariants.js'
import type { Keyed } from './model.js'
import type { Stage } from './playing.js'
import type { Editor } from './run.js'
import type { Side, Step, Trouble } from './steps.js'
import { other } from './world.js'

type Open = (side: Side) => Promise<EditorConfig>

/** Saves with what goes wrong meanwhile. */
export function saving ({ state, editors, observe, complete }: Stage, open: Open) {
  const { world, fileId, model, live } = state
  const { documentServer, instances } = world

  return {
    async during (trouble: Trouble | null, side: Side, { key }: Editor, task: () => Promise<void>): Promise<void> {
      const isLeft = editors.every(one => one.key !== key || one.is !== 'in' || one.session.viewOnly)
      const { end, mayRefuse } = begin(trouble, side, model.key(key))
      const sent = documentServer.requests.length
      try {
        await task()
      } finally {
        await end()
      }
      const refused = documentServer.requests.slice(sent).filter(({ answer }) => JSON.stringify(answer?.body) !== '{"error":0}')
      if (!mayRefuse && refused.length > 0) violated(`nothing went wrong, but status ${String(refused[0]!.body?.status)} was refused${isLeft ? ' though nobody is there any longer' : ''}`)
      await observe()
    },

    /** The document server dies, in the middle of a save if somebody is there to save, and comes back. */
    async crash (editor: Editor | null, { side, midSave, opens, fate }: Extract<Step, { does: 'crash' }>): Promise<void> {
      const closing = editor !== null && midSave ? complete(editor.session.close()) : null
      if (closing !== null) await Promise.race([closing, new Promise<void>(resolve => { world.onArrival = resolve })])
      world.onArrival = () => {}
      await documentServer.crash()
      await closing
      await world.recover()
      for (const one of editors) if (one.is === 'in') one.is = 'cut'
      for (const one of model.keys.values()) one.ghost ||= live().has(one.key) || editors.some(({ key, is }) => is !== 'gone' && key === one.key)
      if (editor !== null) model.key(editor.key).ghost = true
      if (opens) await open(side)
      await documentServer.restart({ sessions: fate })
      if (fate === 'lost') lose()
      await world.clock.advance(0)
      await world.recover()
      await observe()
    }
  }

  function lose (): void {
    for (const one of editors) one.is = 'gone'
    for (const one of model.keys.values()) {
      const forgotten = documentServer.forgotten.get(one.key)
      if (!one.unsaved) continue
      model.discarded(one.key)
      if (forgotten !== undefined) Object.assign(one, { text: Buffer.from(forgotten.bytes).toString(), unsaved: true })
    }
  }

  function begin (trouble: Trouble | null, side: Side, { unsaved, copy, base, doubtful }: Keyed): { end: () => Promise<void>, mayRefuse: boolean } {
    const done = async () => {}
    const isBeside = copy !== null || doubtful || base !== model.main.version
    switch (trouble?.on) {
      case 'file': return { end: ending(documentServer.fault('file', trouble.fault)), mayRefuse: true }
      case 'callback': return { end: ending(documentServer.fault('callback', trouble.fault)), mayRefuse: false }
      case 'assembly': return { end: ending(documentServer.fault('assembly', { type: 'fail' })), mayRefuse: true }
      case 'echo': return { end: echo(side), mayRefuse: false }
      case 'storage': {
        // What a status 1 or 4 tells is not told again.
        if (!unsaved) return { end: done, mayRefuse: false }
        const { disk } = instances[trouble.side]
        disk.failAt(trouble.nth)
        if (isBeside) state.spareCopies++
        return { end: ending(() => disk.mend()), mayRefuse: true }
      }
      case 'instance': {
        if (!unsaved) return { end: done, mayRefuse: false }
        const instance = instances[trouble.side]
        instance.disk.dieAt(trouble.nth, () => instance.die())
        if (isBeside) state.spareCopies++
        return { end: ending(() => instance.disk.mend()), mayRefuse: true }
      }
      default: return { end: done, mayRefuse: false }
    }
  }

  function ending (mend: () => void): () => Promise<void> {
    return async () => {
      mend()
      await world.recover()
    }
  }

  /** Each save reaches both instances at once, and pages are opened on both. */
  function echo (side: Side): () => Promise<void> {
    const before = keysToJoin(state)
    const answers: Array<Promise<string>> = []
    const opened: Array<Promise<EditorConfig>> = []
    const echoed = new Set<unknown>()
    world.onArrival = () => {
      const { body } = documentServer.requests.at(-1)!
      if ((body?.status !== 2 && body?.status !== 6) || echoed.has(body)) return
      echoed.add(body)
      const { token, ...fields } = body
      answers.push(world.post(other(side), fileId, fields))
      opened.push(open('a'), open('b'))
    }
    return async () => {
      world.onArrival = () => {}
      for (const answer of await Promise.all(answers)) equal(answer, '{"error":0}', 'a save that reaches both instances is acknowledged by both')
      const keys = new Set((await Promise.all(opened)).map(({ document }) => document!.key!))
      const fresh = (await open('a')).document!.key!
      for (const key of keys) if (before !== null && key !== fresh && !before.has(key)) violated(`during a save the key ${key} was given`)
    }
  }
}
