import assert from 'node:assert/strict'
import type { FileInfo, ReplaceOptions } from '../../../types/storage.js'
import type { ConformanceCase } from './case.js'
import { assertStored, failingAfter, inPieces, pattern } from './case.js'

const OLD = pattern(1000)
const NEW = pattern(200_000, 5)

interface Announcing {
  readonly beforePublish: NonNullable<ReplaceOptions['beforePublish']>
  /** What was announced. */
  readonly announced: FileInfo[]
}

function announcing (look: () => Promise<unknown> = async () => {}): Announcing {
  const announced: FileInfo[] = []
  return {
    announced,
    async beforePublish (info) {
      announced.push(info)
      await look()
    }
  }
}

const formats: ReadonlyArray<ReplaceOptions> = [{}, { extension: 'docx' }, { extension: 'ODT' }]

/** A storage may never announce anything: then there is nothing to prove. */
export const publishingCases: readonly ConformanceCase[] = [
  {
    name: 'what is announced before it is published is what stat says afterwards, told once, while readers see the old version',
    async run ({ storage }) {
      for (const options of formats) {
        const old = await storage.create('docx', OLD)
        const { beforePublish, announced } = announcing(async () => {
          assert.deepEqual(await assertStored(storage, old.fileId, OLD), old, 'nobody sees the new version yet')
        })
        const replaced = await storage.replace(old.fileId, inPieces(NEW.subarray(0, 100_000), NEW.subarray(100_000)), { ...options, beforePublish })
        assert.ok(replaced)
        assert.deepEqual(await assertStored(storage, old.fileId, NEW), replaced)
        assert.ok(announced.length <= 1, `announced once, not ${announced.length} times`)
        for (const info of announced) assert.deepEqual(info, replaced)
      }
    }
  },
  {
    name: 'a replace is rejected with what its announcement is rejected with, and leaves the old version and nothing else',
    async run ({ storage, list }) {
      for (const options of formats) {
        const old = await storage.create('docx', OLD)
        const before = await list?.()
        const failure = new Error('not to be published')
        const { beforePublish, announced } = announcing(async () => { throw failure })
        const outcome = await storage.replace(old.fileId, NEW, { ...options, beforePublish }).catch((error: unknown) => error)
        if (announced.length === 0) {
          await assertStored(storage, old.fileId, NEW)
          continue
        }
        assert.equal(outcome, failure)
        assert.deepEqual(await assertStored(storage, old.fileId, OLD), old)
        assert.deepEqual(await list?.(), before)
      }
    }
  },
  {
    name: 'nothing is announced when there is no file or the source fails',
    async run ({ storage }) {
      const old = await storage.create('docx', OLD)
      const { beforePublish, announced } = announcing()
      assert.equal(await storage.replace(`${old.fileId}x`, NEW, { beforePublish }), null)
      for (const pieces of [[], [NEW]]) {
        const failure = new Error('the source failed')
        await assert.rejects(storage.replace(old.fileId, failingAfter(failure, ...pieces), { beforePublish }), error => error === failure)
      }
      assert.deepEqual(announced, [])
      assert.deepEqual(await assertStored(storage, old.fileId, OLD), old)
    }
  }
]
