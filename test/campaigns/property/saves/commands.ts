import fc from 'fast-check'
import type { Faults } from 'onlyoffice-emulator'
import type { Actions, Arguments } from './actions.js'
import type { Moment, OutsideChange, Situation, Trouble, Visit } from './situation.js'

/** One thing that somebody does with the document. */
type DocumentCommand = fc.AsyncCommand<Situation, Life>

/** The system under test: performs actions, and checks all invariants after each. */
export interface Life {
  perform<Name extends keyof Actions> (name: Name, args: Arguments<Name>): Promise<void>
}

interface Kind<Name extends keyof Actions> {
  /** Relative to the other kinds. */
  readonly weight: number
  readonly args: fc.Arbitrary<Arguments<Name>>
  readonly isPossible: (situation: Situation, args: Arguments<Name>) => boolean
}

const MAX_COMMANDS = 32
const MINUTE = 60_000

const side = fc.constantFrom('a', 'b')
/** Chooses among what exists when the command runs, so that it still fits when other commands are left out. */
const choice = fc.nat(999)

const outsideChange = weighted<OutsideChange>(
  [8, 'replaced'],
  [5, 'replaced by the application'],
  [4, 'written again'],
  [3, 'removed and created again'],
  [1, 'removed'],
  [1, 'removed by the application']
)

/** The content is visible, but the record does not have the save yet. */
const published: fc.Arbitrary<Moment> = fc.constant({ access: 'set', nth: 3 })

/** Publishing is where most can go wrong. */
const moment: fc.Arbitrary<Moment> = fc.oneof(...([
  [6, 'publish', 2],
  [6, 'set', 4],
  [3, 'get', 8],
  [3, 'stat', 6],
  [3, 'download', 2],
  [2, 'stage', 2],
  [2, 'create', 2],
  [4, 'commit', 2],
  [1, 'read', 2],
  [1, 'publish', 4]
] as const).map(([weight, access, most]) => ({
  weight,
  arbitrary: fc.record({ access: fc.constant(access), nth: fc.integer({ min: 1, max: most }) })
})))

const callbackFault = fc.record({ on: fc.constant('callback' as const), fault: fc.record({ type: fc.constantFrom('duplicate' as const, 'reorder' as const) }) })
const outsideMeanwhile = fc.record({ on: fc.constant('outside' as const), moment, change: outsideChange })

const fileFault: fc.Arbitrary<Faults['file']> = fc.oneof(
  fc.record({ type: fc.constant('reset' as const), afterBytes: fc.nat(11) }),
  fc.constantFrom<Faults['file']>(
    { type: 'html' },
    { type: 'html', status: 502 },
    { type: 'answer', status: 500, body: 'Internal Server Error' },
    { type: 'answer', status: 204 },
    { type: 'length', by: 7 }
  )
)

const storageTrouble = fc.record({ on: fc.constant('storage' as const), moment })
const commitTrouble = fc.record({
  on: fc.constant('commit' as const),
  lost: fc.record({
    turns: weighted([3, 0], [2, 1], [2, 3], [2, 10], [2, 30], [2, 100]),
    readsFail: weighted([5, 0], [2, 1], [1, 2], [1, 4])
  })
})
const instanceTrouble = fc.record({
  on: fc.constant('instance' as const),
  moment: fc.oneof({ weight: 2, arbitrary: moment }, { weight: 1, arbitrary: published }),
  opens: chance(0.7)
})
const pauseTrouble = fc.record({ on: fc.constant('pause' as const), moment, visit: weighted<Visit | null>([4, null], [6, 'saves']) })

/** What can go wrong with a callback of status 1 or 4. */
const noticeTrouble: fc.Arbitrary<Trouble> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ on: 'notice' as const }) },
  { weight: 3, arbitrary: callbackFault },
  { weight: 2, arbitrary: outsideMeanwhile }
)

/** What can go wrong with a save. */
const saveTrouble: fc.Arbitrary<Trouble> = fc.oneof(
  { weight: 26, arbitrary: fc.record({ on: fc.constant('file' as const), fault: fileFault }) },
  { weight: 10, arbitrary: fc.constant({ on: 'assembly' as const }) },
  { weight: 16, arbitrary: storageTrouble },
  { weight: 14, arbitrary: commitTrouble },
  { weight: 14, arbitrary: instanceTrouble },
  { weight: 20, arbitrary: fc.record({ on: fc.constant('echo' as const), scheduler: fc.option(fc.scheduler(), { nil: null, freq: 2 }) }) },
  { weight: 16, arbitrary: pauseTrouble },
  { weight: 24, arbitrary: outsideMeanwhile },
  { weight: 16, arbitrary: noticeTrouble },
  { weight: 10, arbitrary: callbackFault }
)

/** It is still to be decided what is stored, and where. */
const undecided: fc.Arbitrary<Moment> = fc.record({ access: fc.constantFrom('read', 'stage', 'get', 'stat'), nth: fc.constantFrom(1, 2) })

/** What can go wrong when something is stored that no callback announces. */
const storingTrouble: fc.Arbitrary<Trouble> = fc.oneof(
  storageTrouble,
  commitTrouble,
  instanceTrouble,
  outsideMeanwhile,
  {
    weight: 4,
    arbitrary: fc.record({
      on: fc.constant('pause' as const),
      moment: fc.oneof(moment, undecided),
      visit: weighted<Visit | null>([1, null], [2, 'saves'], [3, 'is refused'], [3, 'stays'])
    })
  }
)

const canSave = ({ hasFile, editing }: Situation, { trouble }: { readonly trouble: Trouble | null }) =>
  editing().length > 0 || (hasFile() && trouble !== null && trouble.on !== 'notice')

const kinds: { readonly [Name in keyof Actions]: Kind<Name> } = {
  open: {
    weight: 18,
    args: fc.record({ side, user: fc.nat(3), joins: chance(0.75), trouble: maybe(0.25, noticeTrouble) }),
    isPossible: ({ hasFile }) => hasFile()
  },
  view: { weight: 3, args: fc.record({ side }), isPossible: ({ hasFile }) => hasFile() },
  join: { weight: 6, args: fc.record({ side, page: choice }), isPossible: ({ pages }) => pages.length > 0 },
  edit: { weight: 24, args: fc.record({ side, session: choice }), isPossible: ({ editing }) => editing().length > 0 },
  forceSave: {
    weight: 10,
    args: fc.record({
      side,
      session: choice,
      type: fc.constantFrom('button' as const, 'command' as const, 'timer' as const),
      trouble: maybe(0.6, saveTrouble)
    }),
    isPossible: canSave
  },
  close: {
    weight: 24,
    args: fc.record({ side, session: choice, trouble: maybe(0.6, saveTrouble) }),
    isPossible: canSave
  },
  closeAll: {
    weight: 6,
    args: fc.record({ side, scheduler: fc.scheduler() }),
    isPossible: ({ editing }) => editing().length > 1
  },
  disconnect: {
    weight: 4,
    args: fc.record({ side, session: choice, abrupt: chance(0.4) }),
    isPossible: ({ editing }) => editing().length > 0
  },
  reconnect: {
    weight: 3,
    args: fc.record({ side, session: choice }),
    isPossible: ({ disconnected }) => disconnected().length > 0
  },
  replay: {
    weight: 4,
    args: fc.record({ side, save: choice, both: fc.boolean() }),
    isPossible: ({ saves }) => saves.length > 0
  },
  changeOutside: { weight: 3, args: fc.record({ side, change: outsideChange }), isPossible: () => true },
  editCopy: {
    weight: 4,
    args: fc.record({ side, copy: choice, meanwhile: fc.boolean() }),
    isPossible: ({ model, editing }, { meanwhile }) => model.copies.size > 0 || (meanwhile && editing().length > 0)
  },
  pass: {
    weight: 6,
    args: fc.record({ side, ms: weighted([5, 5000], [4, 5 * MINUTE], [1, 60 * MINUTE], [1, 2 * MINUTE]) }),
    isPossible: () => true
  },
  restore: {
    weight: 14,
    args: fc.record({ side, version: choice, refuses: chance(0.3), trouble: maybe(0.5, storingTrouble) }),
    isPossible: ({ hasFile, model }) => hasFile() && model.newest() > 0
  },
  recover: {
    weight: 10,
    args: fc.record({ side, refuses: chance(0.4), crashes: chance(0.2), trouble: maybe(0.5, storingTrouble) }),
    isPossible: ({ hasFile, model }, { refuses }) => model.hasForgotten() || (refuses && hasFile())
  },
  crash: {
    weight: 1,
    args: fc.record({
      side,
      session: choice,
      midSave: chance(0.7),
      opens: fc.boolean(),
      fate: fc.constantFrom('kept' as const, 'lost' as const)
    }),
    isPossible: () => true
  }
}

class Command<Name extends keyof Actions> implements DocumentCommand {
  readonly #name: Name
  readonly #args: Arguments<Name>

  constructor (name: Name, args: Arguments<Name>) {
    this.#name = name
    this.#args = args
  }

  check (situation: Readonly<Situation>): boolean {
    return kinds[this.#name].isPossible(situation, this.#args)
  }

  async run (_situation: Situation, life: Life): Promise<void> {
    await life.perform(this.#name, this.#args)
  }

  toString (): string {
    return `${this.#name} ${JSON.stringify(this.#args, (name, value) => name === 'scheduler' && value !== null ? 'interleaved' : value)}`
  }
}

/** Each run prefers some kinds of commands and avoids others, so that what is rare comes several times in some runs. */
export function lifeCommands (replayPath?: string): fc.Arbitrary<Iterable<DocumentCommand>> {
  const names = Object.keys(kinds) as Array<keyof Actions>
  const preferences = fc.tuple(...names.map(() => fc.constantFrom(3, 10, 30)))
  return fc.noShrink(preferences).chain(factors => fc.commands(
    [fc.oneof(...names.map((name, index) => ({ weight: kinds[name].weight * factors[index]!, arbitrary: commandOf(name) })))],
    { maxCommands: MAX_COMMANDS, size: 'max', ...(replayPath !== undefined && { replayPath }) }
  ))
}

function commandOf<Name extends keyof Actions> (name: Name): fc.Arbitrary<DocumentCommand> {
  return kinds[name].args.map(args => new Command(name, args))
}

function weighted<Value> (...choices: ReadonlyArray<readonly [weight: number, value: Value]>): fc.Arbitrary<Value> {
  return fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })))
}

function chance (probability: number): fc.Arbitrary<boolean> {
  return weighted([100 - probability * 100, false], [probability * 100, true])
}

/** Shrinks to `null`. */
function maybe<Value> (probability: number, arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.oneof({ withCrossShrink: true }, { weight: 100 - probability * 100, arbitrary: fc.constant(null) }, { weight: probability * 100, arbitrary })
}
