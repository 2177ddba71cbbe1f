import assert from 'node:assert/strict'
import type { Storage } from '../../../types/storage.js'
import type { ConformanceCase } from './case.js'
import { assertStored, inPieces, inTheMiddleOf, pattern, readAll } from './case.js'

/** A version whose every byte and whose length tell which one it is. */
function versionOf (number: number): Buffer {
  return Buffer.alloc(150_000 + number * 1000, number)
}

async function assertWholeVersion (storage: Storage, fileId: string): Promise<{ number: number, revision: string }> {
  const { info, bytes } = await readAll(storage, fileId)
  const number = bytes[0] ?? -1
  assert.ok(bytes.equals(versionOf(number)), 'a reader sees one whole version, not a mixture')
  assert.equal(info.size, bytes.length, 'the size announced is that of the bytes that follow')
  return { number, revision: info.revision }
}

export const replacingCases: readonly ConformanceCase[] = [
  {
    name: 'a replaced file has the new bytes under the same id and extension',
    async run ({ storage, list }) {
      const { fileId } = await storage.create('txt', Buffer.from('a longer first version'))
      const before = await list?.()
      const replaced = await storage.replace(fileId, Buffer.from('second'))
      assert.deepEqual(await assertStored(storage, fileId, Buffer.from('second')), replaced)
      assert.equal(replaced?.fileId, fileId)
      assert.equal(replaced?.extension, 'txt')
      assert.deepEqual(await list?.(), before)
    }
  },
  {
    name: 'the revision changes with the content, however fast and whatever its size, and only then',
    async run ({ storage }) {
      const { fileId, revision } = await storage.create('txt', Buffer.from('000'))
      const revisions = new Set([revision])
      for (let round = 1; round < 30; round++) {
        await storage.replace(fileId, Buffer.from(String(round).padStart(3, '0')))
        const info = await storage.stat(fileId)
        revisions.add(info!.revision)
      }
      assert.equal(revisions.size, 30)
      const last = await storage.stat(fileId)
      await readAll(storage, fileId)
      await storage.create('txt', Buffer.from('another file'))
      assert.equal((await storage.stat(fileId))?.revision, last?.revision)
    }
  },
  {
    name: 'until a replace ends, readers see the old version',
    async run ({ storage }) {
      const old = await storage.create('bin', versionOf(1))
      const next = versionOf(2)
      await inTheMiddleOf(
        content => storage.replace(old.fileId, content),
        [next.subarray(0, 100_000), next.subarray(100_000)],
        async () => assert.deepEqual(await assertStored(storage, old.fileId, versionOf(1)), old)
      )
      await assertStored(storage, old.fileId, next)
    }
  },
  {
    name: 'readers beside many replaces always see one whole version with its own info',
    async run ({ storage }) {
      const { fileId } = await storage.create('bin', versionOf(0))
      const revisions = new Map<string, number>()
      const finished = new AbortController()
      async function readOn () {
        while (!finished.signal.aborted) {
          await new Promise(resolve => setImmediate(resolve)) // a storage that never waits would leave the writer no turn
          const { number, revision } = await assertWholeVersion(storage, fileId)
          assert.equal(revisions.get(revision) ?? number, number, 'a revision stands for one content')
          revisions.set(revision, number)
        }
      }
      async function replaceOften () {
        try {
          for (let number = 1; number <= 25; number++) {
            const bytes = versionOf(number)
            await storage.replace(fileId, inPieces(bytes.subarray(0, 70_000), bytes.subarray(70_000)), { extension: number % 3 ? 'bin' : 'docx' })
          }
        } finally {
          finished.abort()
        }
      }
      await Promise.all([replaceOften(), readOn(), readOn(), readOn()])
      await assertStored(storage, fileId, versionOf(25))
    }
  },
  {
    name: 'of replaces at the same time one wins as a whole',
    async run ({ storage }) {
      const { fileId } = await storage.create('bin', versionOf(0))
      await Promise.all(Array.from({ length: 8 }, (_, index) => {
        const bytes = versionOf(index + 1)
        return storage.replace(fileId, inPieces(bytes.subarray(0, 90_000), bytes.subarray(90_000)))
      }))
      const { number } = await assertWholeVersion(storage, fileId)
      assert.notEqual(number, 0)
    }
  },
  {
    name: 'a replace in another format changes the extension and nothing else',
    async run ({ storage, list }) {
      const old = await storage.create('docx', pattern(1000))
      const names = (await list?.())?.length
      const { written: replaced, seen } = await inTheMiddleOf(
        content => storage.replace(old.fileId, content, { extension: 'ODT' }),
        [pattern(10), pattern(20)],
        () => storage.stat(old.fileId)
      )
      assert.deepEqual(seen, old, 'the old format is there until the new one is')
      assert.equal(replaced?.extension, 'odt')
      assert.equal(replaced?.fileId, old.fileId)
      assert.deepEqual(await assertStored(storage, old.fileId, Buffer.concat([pattern(10), pattern(20)])), replaced)
      assert.equal((await list?.())?.length, names, 'the old format is gone')

      const back = await storage.replace(old.fileId, pattern(7), { extension: 'docx' })
      assert.equal(back?.extension, 'docx')
      assert.notEqual(back?.revision, old.revision)
      await assertStored(storage, old.fileId, pattern(7))
    }
  },
  {
    name: 'a replace in the same format keeps it',
    async run ({ storage }) {
      const { fileId } = await storage.create('docx', pattern(1000))
      const replaced = await storage.replace(fileId, pattern(10), { extension: 'DOCX' })
      assert.equal(replaced?.extension, 'docx')
      await assertStored(storage, fileId, pattern(10))
    }
  }
]
