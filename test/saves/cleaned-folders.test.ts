import { readdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { directoryOf, startEditing } from '../kit/editing.js'
import { packageOf } from '../kit/packages.js'
import { isOnS3 } from '../kit/storage.js'
import { savedAt } from '../kit/http.js'

/** As programs do that clean up: those that are empty then, too. */
async function removeEmptyFolders (directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const folders = entries.filter(entry => entry.isDirectory()).map(entry => join(entry.parentPath, entry.name))
  const removed = await Promise.all(folders.sort((a, b) => b.length - a.length).map(async folder =>
    await rmdir(folder).then(() => 1, () => 0)))
  return removed.reduce<number>((sum, one) => sum + one, 0)
}

t.test('saves and versions go on when a program removes the empty folders of the storage', { skip: isOnS3 && 'This storage has no folders' }, async t => {
  let content = packageOf('first')
  const { fileId, openedKey, post, documentServer, storage } = await startEditing(t, {
    versions: {},
    serve: (_request, response) => { response.end(content) }
  })
  const directory = directoryOf(t)
  for (let round = 1; round <= 3; round++) {
    const key = await openedKey()
    t.ok(await removeEmptyFolders(directory) > 0)
    t.equal(await post({ key, status: 1, users: ['ada'] }), 0)
    for (const status of [6, 2]) {
      content = packageOf(`${round} ${status}`)
      await removeEmptyFolders(directory)
      const url = savedAt(documentServer.origin, key)
      t.equal(await post({ key, status, url, filetype: 'txt', users: ['ada'] }), 0, `round ${round}: ${status}`)
    }
  }
  t.equal((await storage.versions!.list(fileId)).length, 6)
})
