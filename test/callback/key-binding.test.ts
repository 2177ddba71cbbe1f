import t from 'tap'
import { memoryStorage } from '../../lib/index.js'
import { errorOf, NEW, OLD, startEditing } from '../kit/editing.js'
import { signed, startHost } from '../kit/host.js'
import { savedAt } from '../kit/http.js'

const JSON_TYPE = { 'content-type': 'application/json' }

t.test('a token for file A is refused at the callback URL of file B', async t => {
  const editing = await startEditing(t)
  const a = editing.fileId
  const { fileId: b } = await editing.storage.create('txt', Buffer.from(OLD))
  for (const status of [1, 2, 3, 4, 6, 7]) {
    const claims = { key: await editing.openedKey(a), status, url: editing.url }
    t.equal(await editing.post(claims, b), 1, `status ${status}`)
  }
  t.strictSame(editing.documentServer.requests, [])
  t.equal(await editing.storedText(b), OLD)
  t.equal(await editing.storedText(a), OLD)
})

t.test('a token without a document key, or with a key of no file, is refused', async t => {
  const editing = await startEditing(t)
  const { key, fileId, url } = editing
  for (const odd of [undefined, null, '', 7, [key], { key }, 'made-up', key.slice(0, 32), key.toLowerCase(), ` ${key}`, key.split('.')[1]]) {
    t.equal(await editing.post({ key: odd, status: 2, url }), 1, JSON.stringify(odd))
  }
  t.strictSame(editing.documentServer.requests, [])
  t.equal(await editing.storedText(fileId), OLD)
})

t.test('a document key chosen by the application is accepted only at the callback URL that the control made for it', async t => {
  const editing = await startEditing(t)
  const { fileId, documentServer } = editing
  const control = await editing.app.editorControl().openDocument(fileId)
  control.documentKey = 'key-of-the-host'
  const { document, editorConfig } = control.config!
  t.equal(document.key, 'key-of-the-host')
  const callbackUrl = editorConfig.callbackUrl!

  const post = async (address: string, key: string) => {
    const save = { key, status: 2, url: savedAt(documentServer.origin, key) }
    return errorOf(await (await fetch(address, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ ...save, token: signed(save) }) })).text())
  }
  t.equal(await post(editing.urls.callback(fileId), 'key-of-the-host'), 1, 'the URL for keys of this library')
  t.equal(await post(callbackUrl, 'another-key'), 1, 'another key')
  t.equal(await post(callbackUrl, editing.key), 1, 'a key of this library')
  t.equal(await post(callbackUrl.replace('key-of-the-host', 'another-key'), 'another-key'), 1, 'a changed URL')
  t.equal(await editing.storedText(fileId), OLD)
  t.equal(await post(callbackUrl, 'key-of-the-host'), 0)
  t.equal(await editing.storedText(fileId), NEW)
})

t.test('a callback URL signed for one key binds a callback without a token as well', async t => {
  const editing = await startEditing(t, { requireToken: false })
  const address = editing.urls.callback(editing.fileId, 'key-of-the-host')
  for (const [key, error] of [['another-key', 1], [undefined, 1], ['key-of-the-host', 0]] as const) {
    const answer = await fetch(address, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ key, status: 2, url: savedAt(editing.documentServer.origin, key ?? 'none') }) })
    t.equal(errorOf(await answer.text()), error, String(key))
  }
  t.equal(await editing.storedText(editing.fileId), NEW)
})

t.test('services with different paths have different document keys for the same content', async t => {
  const info = { fileId: 'a', fileType: 'docx', size: 1, modifiedAt: new Date(0), revision: '1' }
  const storage = { ...memoryStorage(), snapshot: async () => ({ info, record: null }) }
  const keys = await Promise.all(['/one', '/two'].map(async path => {
    const { app } = await startHost(t, { path, storage, publicBaseUrl: 'https://app.example.com' })
    return (await app.editorControl().openDocument('a')).documentKey
  }))
  t.not(keys[0], keys[1])
})
