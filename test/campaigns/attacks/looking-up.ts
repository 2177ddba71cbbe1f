import { writeFileSync } from 'node:fs'
import fs, { opendir } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import type { Test } from 'tap'
import { fileStorage, type Storage } from '../../../lib/index.js'
import type { AlwaysStopped, Run } from './attack.js'
import { startTarget } from './target.js'

const TIMES = 30

/** How often this process has begun to walk through the directory since. */
function countWalks (t: Test, directory: string): () => number {
  const { opendir } = fs
  let walks = 0
  t.teardown(() => {
    fs.opendir = opendir
    syncBuiltinESMExports()
  })
  fs.opendir = async (...args) => {
    if (args[0] === directory) walks++
    return await opendir(...args)
  }
  syncBuiltinESMExports()
  return () => walks
}

/** Looks through all names whenever it is asked. */
function walkingStorage (directory: string): Storage {
  const storage = fileStorage({ directory })
  async function isThere (fileId: string): Promise<boolean> {
    for await (const { name } of await opendir(directory)) if (name.startsWith(`${fileId}.`)) return true
    return false
  }
  return {
    ...storage,
    stat: async fileId => await isThere(fileId) ? await storage.stat(fileId) : null,
    read: async (fileId, range) => await isThere(fileId) ? await storage.read(fileId, range) : null
  }
}

/** Whether each request for a document that does not exist costs a walk. */
const asking = (storageOf: (directory: string) => Storage): Run => async (t, options) => {
  const directory = join(t.testdir(), 'documents')
  const storage = storageOf(directory)
  const target = await startTarget(t, { ...options, storage })
  t.teardown(() => storage.close?.())
  const walks = countWalks(t, directory)
  for (let number = 0; number < TIMES; number++) {
    writeFileSync(join(directory, `other-${number}.pdf`), '')
    const { status } = await fetch(target.urls.download(`absent-${number}`))
    t.equal(status, 404)
  }
  return walks() >= TIMES
}

export const lookingUp: readonly AlwaysStopped[] = [
  {
    title: 'keeps the disk busy with requests for missing documents while files are added and removed',
    has: 'valid URLs of documents that do not exist',
    because: 'no request lists the directory',
    run: asking(directory => fileStorage({ directory })),
    control: asking(walkingStorage)
  }
]
