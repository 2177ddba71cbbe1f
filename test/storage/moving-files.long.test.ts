import fs, { renameSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { fileLookup } from '../../lib/storage/file-lookup.js'

type Callback = (error: unknown, stats?: unknown) => void

/** Has the names looked at one after the other, something done before each. */
async function withEachLook (before: () => void, task: () => Promise<void>): Promise<void> {
  const { lstat, lstatSync } = fs
  const inOrder = (path: string, options: { bigint: true }, done: Callback): void => {
    before()
    try {
      const stats = lstatSync(path, options)
      setImmediate(() => done(null, stats))
    } catch (error) {
      setImmediate(() => done(error))
    }
  }
  fs.lstat = inOrder as typeof lstat
  Object.assign(fs, {
    lstatSync (...args: Parameters<typeof lstatSync>) {
      before()
      return lstatSync(...args)
    }
  })
  syncBuiltinESMExports()
  try {
    await task()
  } finally {
    fs.lstat = lstat
    Object.assign(fs, { lstatSync })
    syncBuiltinESMExports()
  }
}

for (
  const [from, to] of [
    ['doc', 'docx'],
    ['DOC', 'docx'],
    ['docx', 'odt'],
    ['odt', 'docx'],
    ['docx', 'zzz'],
    ['zzz', 'docx'],
    ['zzz', 'yyy'],
    ['yyy', 'zzz']
  ]
) {
  t.test(`a document is found at any moment while .${from} becomes .${to}`, async t => {
    const directory = t.testdir(Object.fromEntries(['docx', 'odt', 'zzz', 'yyy'].map(extension => [`other.${extension}`, ''])))
    const files = fileLookup(directory)
    await files.scan(() => {})
    let moment = 1
    for (let isMoved = true; isMoved; moment++) {
      const path = (extension: string) => join(directory, `document-${moment}.${extension}`)
      writeFileSync(path(from!), '')
      isMoved = false
      let looks = 0
      await withEachLook(() => {
        if (++looks !== moment) return
        renameSync(path(from!), path(to!))
        isMoved = true
      }, async () => { t.equal((await files.findAll(`document-${moment}`)).length > 0, true, `before look ${moment}`) })
    }
    t.ok(moment > 70)
  })
}
