import type { Storage } from '../../types/storage.js'
import { objectWith } from '../util/validate.js'
import { assertConformanceOptions, type ConformanceOptions, createSubject } from './conformance.js'
import type { StorageSubject } from './storage-conformance/case.js'
import { committingCases, publishingCases } from './storage-conformance/committing.js'
import { readingCases } from './storage-conformance/reading.js'
import { conditionalCases, replacingCases } from './storage-conformance/replacing.js'
import { revokingCases, stateCases } from './storage-conformance/state.js'
import { versionsCases } from './storage-conformance/versions.js'
import { stagingCases, writingCases } from './storage-conformance/writing.js'

export type { StorageSubject }

export type StorageConformanceOptions = ConformanceOptions<StorageSubject>

const cases = {
  ...readingCases,
  ...writingCases,
  ...replacingCases,
  ...conditionalCases,
  ...publishingCases,
  ...stagingCases,
  ...revokingCases,
  ...stateCases,
  ...versionsCases,
  ...committingCases
}

const tested = { name: 'storage', rule: objectWith('stat', 'read', 'create', 'replace') } as const

/**
 * Tests whether a storage fulfils the `Storage` contract. Registers one test for each requirement, all of them before
 * it returns; the optional members of the contract are tested if the storage has them. A test fails with an
 * `AssertionError` that says what was expected, or with the error that the storage rejected with.
 *
 * Resolves when all that `test` has returned is resolved, and rejects when any of it rejects.
 *
 * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `create` or `test` is no function. If `create` returns
 * something other than an object with the storage, each test fails with this error.
 * @example
 * ```js
 * import test from 'node:test'
 * import { storageConformance } from 'fastify-onlyoffice/testing'
 * import { myStorage } from './my-storage.js'
 *
 * storageConformance({
 *   test,
 *   async create () {
 *     const bucket = await createTestBucket()
 *     const reopen = () => myStorage({ bucket })
 *     return { storage: reopen(), reopen, list: () => bucket.keys(), cleanup: () => bucket.remove() }
 *   }
 * })
 * ```
 */
export async function storageConformance (options: StorageConformanceOptions): Promise<void> {
  assertConformanceOptions('storageConformance', options, tested)
  const { create, test } = options
  await Promise.all(Object.entries(cases).map(([name, run]) => test(name, async () => {
    const subject = await createSubject(create, tested)
    const { storage, list } = subject
    let second: Storage | undefined
    try {
      await storage.ready?.()
      second = subject.reopen?.()
      await run({ storage, other: second ?? storage, list })
    } finally {
      await second?.close?.()
      await storage.close?.()
      await subject.cleanup?.()
    }
  })))
}
