import assert from 'node:assert/strict'
import type { FileInfo, ReplaceOptions } from '../../../types/storage.js'
import { assertStored, assertUnchanged, type ConformanceCase, failingAfter, inChunks, NEW_BYTES, OLD_BYTES } from './case.js'

const FORMAT_OPTIONS: ReadonlyArray<ReplaceOptions> = [{}, { extension: 'docx' }, { extension: 'ODT' }]

/** A `beforePublish` that records the infos it is called with. */
function recordingHook (inspect: () => Promise<unknown> = async () => {}) {
  const infos: FileInfo[] = []
  return {
    infos,
    async beforePublish (info: FileInfo): Promise<void> {
      infos.push(info)
      await inspect()
    }
  }
}

/** A storage that does not know the revision in advance never calls `beforePublish`, and passes. */
export const publishingCases: readonly ConformanceCase[] = [
  {
    name: 'beforePublish is called once, while readers see the old version, with the info that stat returns afterwards',
    async run ({ storage }) {
      for (const options of FORMAT_OPTIONS) {
        const old = await storage.create('docx', OLD_BYTES)
        const { beforePublish, infos } = recordingHook(async () => await assertUnchanged(storage, old, OLD_BYTES))
        const replaced = await storage.replace(old.fileId, inChunks(NEW_BYTES.subarray(0, 100_000), NEW_BYTES.subarray(100_000)), { ...options, beforePublish })
        assert.ok(replaced, 'replace of a stored file must resolve to its info')
        await assertUnchanged(storage, replaced, NEW_BYTES)
        assert.ok(infos.length <= 1, `beforePublish must be called once, not ${infos.length} times`)
        for (const info of infos) assert.deepEqual(info, replaced, 'beforePublish must be called with the info that replace resolves to')
      }
    }
  },
  {
    name: 'replace rejects with the error of beforePublish, keeps the old version and leaves nothing behind',
    async run ({ storage, list }) {
      for (const options of FORMAT_OPTIONS) {
        const old = await storage.create('docx', OLD_BYTES)
        const before = await list?.()
        const failure = new Error('beforePublish failed')
        const { beforePublish, infos } = recordingHook(async () => { throw failure })
        const outcome = await storage.replace(old.fileId, NEW_BYTES, { ...options, beforePublish }).catch((error: unknown) => error)
        if (infos.length === 0) {
          await assertStored(storage, old.fileId, NEW_BYTES)
          continue
        }
        assert.equal(outcome, failure, 'replace must reject with the error of beforePublish')
        await assertUnchanged(storage, old, OLD_BYTES)
        assert.deepEqual(await list?.(), before, 'replace must leave nothing behind')
      }
    }
  },
  {
    name: 'beforePublish is not called if the file is absent or the source fails',
    async run ({ storage }) {
      const old = await storage.create('docx', OLD_BYTES)
      const { beforePublish, infos } = recordingHook()
      assert.equal(await storage.replace(`${old.fileId}x`, NEW_BYTES, { beforePublish }), null, 'replace of an absent file must resolve to null')
      for (const chunks of [[], [NEW_BYTES]]) {
        const failure = new Error('the source failed')
        await assert.rejects(storage.replace(old.fileId, failingAfter(failure, ...chunks), { beforePublish }), error => error === failure, 'replace must reject with the error of the source')
      }
      assert.deepEqual(infos, [], 'beforePublish must not be called')
      await assertUnchanged(storage, old, OLD_BYTES)
    }
  }
]
