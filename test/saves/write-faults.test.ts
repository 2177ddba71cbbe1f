import { randomBytes } from 'node:crypto'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { fileStorage } from '../../lib/index.js'
import { OLD, startEditing } from '../kit/editing.js'
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
