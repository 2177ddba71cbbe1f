import assert from 'node:assert/strict'
import type { ConformanceCase } from './case.js'
import { assertAbsent, assertStored, failingAfter, inTheMiddleOf, pattern } from './case.js'

export const writingCases: readonly ConformanceCase[] = [
  {
    name: 'new ids are unique and need no encoding in a URL',
    async run ({ storage }) {
      const infos = await Promise.all(Array.from({ length: 50 }, (_, index) => storage.create('txt', Buffer.from(String(index)))))
      assert.equal(new Set(infos.map(info => info.fileId)).size, 50)
      for (const [index, { fileId }] of infos.entries()) {
        assert.match(fileId, /^[A-Za-z0-9._~-]+$/)
        await assertStored(storage, fileId, Buffer.from(String(index)))
      }
    }
  },
  {
    name: 'a create whose source fails rejects with its error and leaves nothing behind',
    async run ({ storage, list }) {
      await storage.create('txt', Buffer.from('kept'))
      const before = await list?.()
      for (const pieces of [[], [pattern(100_000)]]) {
        const failure = new Error('the source failed')
        await assert.rejects(storage.create('txt', failingAfter(failure, ...pieces)), error => error === failure)
      }
      assert.deepEqual(await list?.(), before)
    }
  },
  {
    name: 'a replace whose source fails rejects with its error and leaves the old version',
    async run ({ storage, list }) {
      const old = await storage.create('txt', Buffer.from('old'))
      const before = await list?.()
      for (const pieces of [[], [Buffer.from('new')], [pattern(200_000), pattern(200_000)]]) {
        for (const options of [{}, { extension: 'md' }]) {
          const failure = new Error('the source failed')
          await assert.rejects(storage.replace(old.fileId, failingAfter(failure, ...pieces), options), error => error === failure)
          assert.deepEqual(await assertStored(storage, old.fileId, Buffer.from('old')), old)
        }
      }
      assert.deepEqual(await list?.(), before)
    }
  },
  {
    name: 'an unfinished create shows nothing',
    async run ({ storage, list }) {
      const before = await list?.()
      const { written, seen } = await inTheMiddleOf(
        content => storage.create('bin', content),
        [pattern(100_000), pattern(10)],
        async () => list?.()
      )
      assert.deepEqual(seen, before)
      await assertStored(storage, written.fileId, Buffer.concat([pattern(100_000), pattern(10)]))
    }
  },
  {
    name: 'another instance sees the same version',
    async run ({ storage, reopen }) {
      const { fileId } = await storage.create('txt', Buffer.from('one'))
      const other = reopen?.() ?? storage
      assert.deepEqual(await other.stat(fileId), await storage.stat(fileId))
      await other.replace(fileId, Buffer.from('two'), { extension: 'md' })
      assert.deepEqual(await assertStored(storage, fileId, Buffer.from('two')), await other.stat(fileId))
      if (reopen) await other.close?.()
    }
  },
  {
    name: 'what is removed, where that is possible, is absent',
    async run ({ storage, list }) {
      if (!storage.remove) return
      const before = await list?.()
      const { fileId } = await storage.create('txt', Buffer.from('short-lived'))
      assert.equal(await storage.remove(fileId), true)
      await assertAbsent(storage, fileId)
      assert.deepEqual(await list?.(), before)
    }
  }
]
