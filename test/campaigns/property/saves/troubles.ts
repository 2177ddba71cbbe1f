import type fc from 'fast-check'
import type { SentRequest } from 'onlyoffice-emulator'
import { equal, keysToJoin, violated } from './invariants.js'
import type { Keyed } from './model.js'
import type { Page, Stage } from './actions.js'
import { interleaved } from './interleaving.js'
import { pausing } from './pausing.js'
import type { People } from './saving.js'
import type { Moment, OutsideChange, Side, Trouble } from './situation.js'
import type { Access } from './unreliable-storage.js'
import { other } from './world.js'

interface Begun {
  readonly end: () => Promise<void>
  /** The plugin may have to refuse a save. */
  readonly mayRefuse: boolean
  /** Runs what the trouble happens to. */
  readonly around?: (task: () => Promise<void>) => Promise<void>
}

type Change = (how: OutsideChange, text: string, side: Side) => Promise<void>

/** Makes something go wrong, until `end`. */
export function troubles ({ state, editors, pages, observe, trouble: excuse }: Stage, people: People, change: Change) {
  const { world, fileId, model } = state
  const { instances } = world
  const stand = pausing({ state, editors, pages, observe }, people)
  let changes = 0

  return function begin (trouble: Trouble | null, side: Side, one: Keyed): Begun {
    const { server } = one
    switch (trouble?.on) {
      case 'file': return ending(server.fault('file', trouble.fault))
      case 'callback':
        model.confuse(one.key)
        return ending(server.fault('callback', trouble.fault), false)
      case 'assembly': return ending(server.fault('assembly', { type: 'fail' }))
      case 'notice':
        loseNotice()
        return ending(() => { world.onArrival = () => 'taken' }, false)
      case 'echo': return world.moving ? ending(() => {}, false) : { ...echo(side, trouble.scheduler), mayRefuse: false }
      case 'storage': return atMoment(trouble.moment, true, async (_side, isDone) => {
        spare()
        return !isDone || trouble.moment.access === 'set' ? 'fails' : 'goes on'
      })
      case 'commit':
        spare()
        world.lost = trouble.lost
        return ending(() => { Object.assign(world, { lost: undefined, failingReads: 0 }) })
      case 'instance': return death(trouble.moment, trouble.opens, side)
      case 'pause': return atMoment(trouble.moment, trouble.visit === 'is refused', async side => {
        if (isEarly(trouble.moment) && trouble.visit !== 'is refused') excuse()
        else spare()
        await stand(side, trouble.visit)
        return 'goes on'
      })
      case 'outside': return atMoment(trouble.moment, false, async side => {
        // The copy that is being made, or noted, is of a document that is gone: its save is refused.
        if (['create', 'set'].includes(trouble.moment.access) && trouble.change.startsWith('removed')) spare()
        else excuse()
        await change(trouble.change, `outside, meanwhile ${++changes}`, other(side))
        return 'goes on'
      })
      default: return { end: async () => {}, mayRefuse: false }
    }
  }

  function spare (): void {
    excuse()
    state.spareCopies++
  }

  function ending (mend: () => void, mayRefuse = true): Begun {
    return {
      mayRefuse,
      async end () {
        mend()
        await world.recover()
      }
    }
  }

  /** Once. The access waits for the task. */
  function atMoment ({ access, nth }: Moment, mayRefuse: boolean, task: (side: Side, isDone: boolean) => Promise<'goes on' | 'fails'>): Begun {
    let moments = 0
    let underWay: Promise<unknown> = Promise.resolve()
    world.onMoment = async (side, at, isDone) => {
      if (at !== access || ++moments !== nth) return
      world.onMoment = () => {}
      const outcome = task(side, isDone)
      underWay = outcome
      if (await outcome.catch(() => 'goes on') === 'fails') throw Object.assign(new Error('No space left on device'), { code: 'ENOSPC' })
    }
    const { end } = ending(() => { world.onMoment = () => {} })
    return {
      mayRefuse,
      async end () {
        await end()
        await underWay
      }
    }
  }

  /** Whoever opens the document right after the death gets a key that is also right when the callback was repeated. */
  function death (moment: Moment, opens: boolean, side: Side): Begun {
    const before = keysToJoin(state, side)
    let opened: Page | undefined
    const { end, mayRefuse } = atMoment(moment, true, async at => {
      spare()
      instances[at].die()
      if (opens && !world.moving && model.text() !== null) opened = await people.open(other(at))
      return 'goes on'
    })
    return {
      mayRefuse,
      async end () {
        await end()
        if (opened !== undefined && model.text() !== null) await checkGiven(before, [opened], side)
      }
    }
  }

  /** Pages that were opened during a save. `before`: keys that were right before it. */
  async function checkGiven (before: Set<string> | null, pages: readonly Page[], side: Side): Promise<void> {
    const keys = new Set(pages.map(({ key }) => key))
    const current = (await people.open(side)).key
    for (const key of keys) if (before !== null && key !== current && !before.has(key)) violated(`during a save the key ${key} was given`)
  }

  function loseNotice (): void {
    world.onArrival = body => {
      if (body?.status !== 1 && body?.status !== 4) return 'taken'
      world.onArrival = () => 'taken'
      return 'lost'
    }
  }

  /**
   * Each save reaches both instances at the same time, and pages are opened on both, also when it is about to be
   * published.
   */
  function echo (side: Side, scheduler: fc.Scheduler | null): Pick<Begun, 'end' | 'around'> {
    const before = keysToJoin(state, side)
    const answers: Array<Promise<string>> = []
    const opened: Array<Promise<Page>> = []
    const echoed = new Set<SentRequest['body']>()
    world.onArrival = body => {
      if ((body?.status !== 2 && body?.status !== 6) || echoed.has(body)) return 'taken'
      echoed.add(body)
      const { token, ...fields } = body
      answers.push(world.post(other(side), fileId, fields))
      if (model.text() !== null) opened.push(people.open('a'), people.open('b'))
      return 'taken'
    }
    const settled = async () => { await Promise.allSettled([...answers, ...opened]) }
    return {
      async around (task) {
        if (scheduler === null) return await task()
        await interleaved(world, scheduler, async () => {
          await task()
          await settled()
        }, (at, access, isDone) => {
          // The record is read before the content becomes visible, the content after it.
          if (access === 'publish' && !isDone && model.text() !== null) opened.push(people.open(other(at)))
        })
      },
      async end () {
        world.onArrival = () => 'taken'
        const answered = await Promise.all(answers)
        if (model.text() === null) return
        for (const answer of answered) equal(answer, '{"error":0}', 'both instances acknowledge a save that reaches both')
        await checkGiven(before, await Promise.all(opened), side)
      }
    }
  }
}

/** Nothing is decided yet, so nobody creates a copy of what others have stored meanwhile. */
export function isEarly ({ access, nth }: Moment): boolean {
  const lasts: Partial<Record<Access, number>> = { download: Infinity, stage: Infinity, stat: Infinity, get: 2, publish: 1 }
  return nth <= (lasts[access] ?? 0)
}
