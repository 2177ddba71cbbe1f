import { readdir } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { storageConformance, type StorageSubject } from '../../lib/conformance/index.js'
import { fileStorage, memoryStorage } from '../../lib/index.js'

t.test('the file storage passes the conformance suite', async t => {
  let cases = 0
  const root = t.testdir()
  await passes(t, () => {
    const directory = `${root}/${++cases}/uploads`
    return {
      storage: fileStorage({ directory }),
      reopen: () => fileStorage({ directory }),
      // Names that start with a dot are temp files: no look-up finds them and the owner removes them.
      list: async () => (await readdir(directory)).filter(name => !name.startsWith('.')).sort()
    }
  })
})

t.test('the memory storage passes the conformance suite', async t => {
  await passes(t, () => ({ storage: memoryStorage() }))
})

async function passes (t: Test, create: () => StorageSubject): Promise<void> {
  let cases = 0
  await storageConformance({ create, test: (name, run) => { cases++; return t.test(name, run) } })
  t.ok(cases > 15)
}
