import t, { type Test } from 'tap'
import type { SavedEvent } from '../../lib/index.js'
import { type EditingOptions, startEditing } from '../kit/editing.js'
import { quickStorage } from '../kit/storage.js'

/** The same service, once with the old document server and once with the new one, over one storage. */
async function startMoving (t: Test, options: EditingOptions = {}) {
  const saved: SavedEvent[] = []
  const storage = await quickStorage(t)
  const side = async () => await startEditing(t, {
    memory: true,
    storage,
    publicBaseUrl: 'https://app.example.com',
    serve: (request, response) => response.end(request.method === 'POST' ? '{"error":0}' : request.url),
    onSaved: event => { saved.push(event) },
    ...options
  })
  const [old, next] = [await side(), await side()]
  const { fileId } = old
  const keyAt = async ({ app }: typeof old) => (await app.editorControl().openDocument(fileId)).documentKey
  const save = async ({ documentServer, post }: typeof old, key: string, path: string, status: 2 | 6 = 2) =>
    await post({ key, status, url: `${documentServer.origin}/${path}` }, fileId)
  return { old, next, fileId, keyAt, save, saved, storedText: old.storedText }
}

t.test('two document servers over one storage use different keys, and each gives its own to everybody who opens the file there', async t => {
  const { old, next, fileId, keyAt } = await startMoving(t)
  const [a, b] = [await keyAt(old), await keyAt(next)]
  t.not(a, b)
  t.equal(await old.post({ key: a, status: 1 }, fileId), 0)
  t.strictSame([await keyAt(old), await keyAt(next)], [a, b])
  t.equal(await next.post({ key: b, status: 1 }, fileId), 0)
  t.strictSame([await keyAt(old), await keyAt(next)], [a, b])
})

t.test('edits made at two document servers at the same time are kept, whichever is saved first', async t => {
  for (const isHeard of [true, false]) {
    const { old, next, fileId, keyAt, save, saved, storedText } = await startMoving(t, {})
    const [a, b] = [await keyAt(old), await keyAt(next)]
    if (isHeard) for (const [side, key] of [[old, a], [next, b]] as const) t.equal(await side.post({ key, status: 1 }, fileId), 0)
    t.equal(await save(old, a, 'old'), 0)
    t.equal(await save(next, b, 'new'), 0)
    t.equal(await storedText(fileId), '/old')
    t.match(saved, [{ conflict: undefined }, { conflict: { reason: 'changed' } }])
    t.equal(await storedText(saved[1]!.stored.fileId), '/new')
  }
})

t.test('a callback of a session at the old document server is accepted by an instance that has moved to the new one', async t => {
  const { old, next, fileId, keyAt, saved } = await startMoving(t, { documentServer: { origins: 'any' }, allowPrivateAddresses: true })
  const key = await keyAt(old)
  t.equal(await next.post({ key, status: 1 }, fileId), 0)
  t.equal(await next.post({ key, status: 2, url: `${old.documentServer.origin}/moved` }, fileId), 0)
  t.match(saved, [{ key, conflict: undefined }])
})

t.test('a key chosen by the application and open at two document servers: the second finished save goes to a conflict copy', async t => {
  const { old, next, fileId, saved, storedText } = await startMoving(t, { signedUrls: false, requireToken: false })
  const key = 'the-host-s-own'
  for (const side of [old, next]) t.equal((await side.postCallback(fileId, { key, status: 1 })).body, '{"error":0}')
  const post = async ({ postCallback, documentServer }: typeof old, path: string) =>
    (await postCallback(fileId, { key, status: 2, url: `${documentServer.origin}/${path}` })).body
  t.equal(await post(old, 'old'), '{"error":0}')
  t.equal(await post(next, 'new'), '{"error":0}')
  t.equal(await storedText(fileId), '/old')
  t.equal(await storedText(saved[1]!.stored.fileId), '/new')
})
