import type { Storage } from '../../types/storage.js'
import type { ConformanceCase, ConformanceSubject } from './storage-conformance/case.js'
import { conditionalCases } from './storage-conformance/conditional.js'
import { publishingCases } from './storage-conformance/publishing.js'
import { readingCases } from './storage-conformance/reading.js'
import { replacingCases } from './storage-conformance/replacing.js'
import { revokingCases } from './storage-conformance/revoking.js'
import { stagingCases } from './storage-conformance/staging.js'
import { stateCases } from './storage-conformance/state.js'
import { writingCases } from './storage-conformance/writing.js'

export type { ConformanceSubject }

export interface StorageConformanceOptions {
  /** Called once for each case: an empty storage of its own. */
  readonly create: () => ConformanceSubject | Promise<ConformanceSubject>
  /** The test runner's function: `t.test` of tap, `test` of node:test or vitest. */
  readonly test: (name: string, run: () => Promise<void>) => unknown
}

const cases: readonly ConformanceCase[] = [
  readingCases, writingCases, replacingCases, conditionalCases, publishingCases, stagingCases, revokingCases, stateCases
].flat()

/**
 * Proves that a storage keeps every promise of the `Storage` contract. Each promise is registered as one test, all of
 * them before this returns; a test fails with an `AssertionError`. Optional methods, and `state`, are tested where they exist.
 * Resolves when everything that `test` returned has.
 */
export async function storageConformance ({ create, test }: StorageConformanceOptions): Promise<void> {
  await Promise.all(cases.map(({ name, run }) => test(name, async () => {
    const subject = await create()
    const storage: Storage = subject.storage
    try {
      await storage.ready?.()
      await run(subject)
    } finally {
      await storage.close?.()
      await subject.cleanup?.()
    }
  })))
}
