import type { Test } from 'tap'
import { memoryStorage } from '../../lib/storage/memory-storage.js'
import { storageConformance } from '../../lib/testing/index.js'
import type { Storage } from '../../types/storage.js'

export type Sound = ReturnType<typeof memoryStorage>

/** Takes a sound storage and breaks one promise of it. */
type Breakage<S> = (sound: S) => Partial<Storage>

/** What is wrong with each, and the case that must fail for it. */
export type BrokenStorages<S = Sound> = Readonly<Record<string, readonly [failing: string, Breakage<S>]>>

/** Why the case of this name fails, `undefined` when it passes. */
async function failureOf<S extends Storage> (make: () => S, failing: string, breakage: Breakage<S>): Promise<Error | undefined> {
  const outcomes: (Error | undefined)[] = []
  await storageConformance({
    create () {
      const sound = make()
      const reopen = () => ({ ...sound, ...breakage(sound) })
      return { storage: reopen(), reopen }
    },
    test: (name, run) => name === failing ? run().then(() => outcomes.push(undefined), error => outcomes.push(error)) : undefined
  })
  if (outcomes.length !== 1) throw new Error(`There is no case named: ${failing}`)
  return outcomes[0]
}

/** One test for each. */
export function findOut (t: Test, broken: BrokenStorages): void {
  findOutAmong(t, memoryStorage, broken)
}

/** The same for those that break another sound storage than that in memory. */
export function findOutAmong<S extends Storage> (t: Test, make: () => S, broken: BrokenStorages<S>): void {
  for (const [what, [failing, breakage]] of Object.entries(broken)) {
    t.test(`the conformance suite rejects a storage that ${what}`, async t => {
      t.equal(await failureOf(make, failing, () => ({})), undefined, 'a correct one passes')
      t.type(await failureOf(make, failing, breakage), Error, failing)
    })
  }
}
