import { readdir } from 'node:fs/promises'
import t from 'tap'
import { fileStorage } from '../../lib/storage/file-storage.js'
import { memoryStorage } from '../../lib/storage/memory-storage.js'
import { storageConformance } from '../../lib/testing/index.js'
import { oneWriteStorage } from '../kit/storage.js'

t.test('the file storage passes the conformance suite', async t => {
  let cases = 0
  const root = t.testdir()
  await storageConformance({
    test: (name, run) => t.test(name, run),
    create () {
      const directory = `${root}/${++cases}/uploads`
      return {
        storage: fileStorage({ directory }),
        reopen: () => fileStorage({ directory }),
        // Names that start with a dot are temp files: no look-up finds them and the owner removes them.
        list: async () => (await readdir(directory)).filter(name => !name.startsWith('.')).sort()
      }
    }
  })
  t.ok(cases > 20)
})

t.test('the memory storage passes the conformance suite', async t => {
  let cases = 0
  await storageConformance({
    test: (name, run) => t.test(name, run),
    create () {
      cases++
      return { storage: memoryStorage() }
    }
  })
  t.ok(cases > 20)
})

t.test('a storage that saves in one write passes the conformance suite', async t => {
  await storageConformance({
    test: (name, run) => t.test(name, run),
    create: () => ({ storage: oneWriteStorage() })
  })
})
