import { randomBytes } from 'node:crypto'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { fileStorage, type SavedEvent } from '../../lib/index.js'
import { documentStorage } from '../../lib/store/document-storage.js'
import { memoryDriver } from '../../lib/store/memory.js'
import { NEW, OLD, startEditing } from '../kit/editing.js'
import { answerWith } from '../kit/http.js'
import { startHost } from '../kit/host.js'
import { asOrdinaryUser, documentsIn, onSmallDisk } from '../kit/storage.js'

t.test('a full disk is answered with HTTP 200 and error 1, and the file is unchanged', t => onSmallDisk(t, async directory => {
  // The service of its own storage only lends the document server and the posting.
  const editing = await startEditing(t, { memory: true, serve: answerWith(randomBytes(1024 * 1024)) })
  const host = await startHost(t, { documentServerOrigin: editing.documentServer.origin, storage: fileStorage({ directory }) })
  const { fileId } = await host.storage.create('docx', Buffer.from(OLD))
  const { documentKey: key } = await host.app.editorControl().openDocument(fileId)
  for (const status of [6, 2]) {
    const fields = { key, status, url: editing.url }
    const answer = await host.postSignedCallback(fileId, fields)
    t.equal(answer.status, 200)
    t.equal(answer.body, '{"error":1}')
  }
  t.equal(editing.documentServer.requests.length, 2)
  t.equal(await host.storedText(fileId), OLD)
  t.strictSame(await documentsIn(directory), [`${fileId}.docx`], 'no temp file')
  await host.app.close()
}))

t.test('a directory without write permission is answered with HTTP 200 and error 1, and the file is unchanged', async t => {
  const editing = await startEditing(t)
  const directory = join(t.testdirName, 'uploads')
  await chmod(directory, 0o555)
  try {
    t.equal(await asOrdinaryUser(() => editing.post({ key: editing.key, status: 2, url: editing.url })), 1)
    await editing.unchanged(t, 'not writable')
  } finally {
    await chmod(directory, 0o755)
  }
  t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url }), 0, 'the same save succeeds later')
})

t.test('a save that is stored although the storage says that it failed is acknowledged, or repeated without harm', async t => {
  const driver = memoryDriver()
  /** How many answers get lost, beginning with the next write. */
  let lost = 0
  let losing = 0
  async function answer <Result> (result: Result): Promise<Result> {
    if (losing > 0 && losing-- > 0) throw new Error('the answer was lost')
    return result
  }
  const storage = documentStorage({
    ...driver,
    async set (...args) {
      const result = await driver.set(...args)
      ;[losing, lost] = [losing + lost, 0]
      return await answer(result)
    },
    get: async fileId => await answer(await driver.get(fileId))
  })
  const saved: SavedEvent[] = []
  const { post, openedKey, url, storedText } = await startEditing(t, { storage, memory: true, onSaved: event => { saved.push(event) } })
  for (const [count, error] of [[1, 0], [2, 0], [3, 1]] as const) {
    const { fileId } = await storage.create('docx', Buffer.from(OLD))
    const key = await openedKey(fileId)
    lost = count
    t.equal(await post({ status: 2, key, url }, fileId), error, `${count} answers are lost`)
    t.equal(await storedText(fileId), NEW)
    t.equal(await post({ status: 2, key, url }, fileId), 0, 'the same callback again')
    t.equal(await storedText(fileId), NEW)
    t.strictSame(saved.splice(0).map(event => event.fileId), [fileId])
  }
})
