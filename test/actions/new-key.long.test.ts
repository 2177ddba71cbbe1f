import t from 'tap'
import { HANDLER, type Host } from '../kit/host.js'
import { startService } from '../kit/sessions.js'
import { storeOf } from '../kit/storage.js'

const ADA = { user: { id: 'ada', name: 'Ada' } }
const VIEWER = { user: { id: 'vic', name: 'Vic' }, mode: 'view' } as const

/** Asks as a page does whose document could not be converted. Resolves to the status, and to the key that it gets. */
async function tryAgain (
  { origin, app }: Pick<Host, 'origin' | 'app'>,
  fileId: string,
  key: string,
  { token, defaults = ADA }: { token?: string, defaults?: object } = {}
) {
  const { pageToken } = await app.editorControl(defaults).openDocument(fileId)
  const response = await fetch(`${origin}${HANDLER}/actions/config`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-editor-page-token': token ?? pageToken },
    body: JSON.stringify({ purpose: 'retry', key })
  })
  const { config, pageToken: next } = await response.json() as { config?: { document: { key: string } }, pageToken?: string }
  return { status: response.status, key: config?.document.key, next }
}

t.test('a document whose conversion failed at opening gets a new key, and opens', async t => {
  const service = await startService(t)
  const { documentServer, fileId, open, key } = service
  documentServer.fault('opening', { type: 'error', error: -82 })
  await t.rejects(open(), { code: -82 })
  const first = await key()
  await t.rejects(open(), { code: -82 }, 'the same content has the same key')

  const second = (await tryAgain(service, fileId, first)).key!
  t.not(second, first)
  t.equal(await key(), second, 'for everybody')
  t.match(await tryAgain(service, fileId, first), { status: 200, key: second }, 'another page with the old key gets it, too')
  const session = await open()
  t.equal(session.key, second)
  await session.edit('saved')
  t.match(await session.close(), { status: 2, accepted: true })
  t.equal(await service.stored(), 'saved')
  t.notMatch(await key(), second, 'the next content has a key of its own')
})

t.test('attack: a page that may not change the document changes nobody\'s key, and gets one that was changed', async t => {
  const service = await startService(t)
  const { fileId, key } = service
  const first = await key()
  const pages = [VIEWER, { ...ADA, type: 'embedded' }, { ...ADA, permissions: { edit: false } }, { ...VIEWER, preset: 'secure-view' }]
  for (const defaults of pages) {
    t.equal((await tryAgain(service, fileId, first, { defaults })).key, first, JSON.stringify(defaults))
    t.equal(await key(), first, 'nor for those who open it later')
  }
  const second = (await tryAgain(service, fileId, first, { defaults: { ...ADA, permissions: { edit: false, comment: true } } })).key
  t.not(second, first, 'who may comment changes the document')
  for (const defaults of pages) t.equal((await tryAgain(service, fileId, first, { defaults })).key, second)
})

t.test('a document gets a new key at most once in a minute, however many pages ask', async t => {
  const service = await startService(t)
  const { fileId, clock, key } = service
  const keys = [await key()]
  keys.push((await tryAgain(service, fileId, keys[0]!)).key!)
  for (let count = 0; count < 3; count++) t.equal((await tryAgain(service, fileId, keys[1]!)).key, keys[1])
  await clock.advance(59_999)
  t.equal((await tryAgain(service, fileId, keys[1]!)).key, keys[1])
  await clock.advance(60_000)
  await Promise.all(Array.from({ length: 5 }, async () => await tryAgain(service, fileId, keys[1]!)))
  keys.push(await key())
  await clock.advance(60_000)
  keys.push((await tryAgain(service, fileId, keys[2]!)).key!)
  t.equal(new Set(keys).size, 4, 'never one that was given up before')
  t.strictSame(keys.slice(1).map(key => key.slice(keys[0]!.length)), ['.1', '.2', '.3'])
})

t.test('attack: a page cannot take the key from a document that somebody edits', async t => {
  const service = await startService(t)
  const { fileId, open, key, documentServer } = service
  const session = await open()
  await session.edit('typed')
  t.match(await tryAgain(service, fileId, session.key), { status: 200, key: session.key })
  await session.forceSave()
  t.match(await tryAgain(service, fileId, session.key), { status: 200, key: session.key }, 'after a force save')
  t.match(await session.close(), { status: 2, accepted: true })

  const refused = await open()
  await refused.edit('refused')
  documentServer.fault('file', { type: 'answer', status: 404 })
  t.match(await refused.close(), { accepted: false })
  t.match(await tryAgain(service, fileId, refused.key), { key: refused.key }, 'only the document server has the save that was refused')
  t.equal(await key(), refused.key)
})

t.test('attack: nor if only the document server knows that somebody edits it, or does not answer', async t => {
  const service = await startService(t)
  const { fileId, open, key, documentServer, app } = service
  const { snapshot, state } = storeOf(app)
  const session = await open()
  const { record } = await snapshot(fileId)
  await state.set(fileId, { format: 1, sessions: [], saves: [] }, record!.version)
  t.equal((await tryAgain(service, fileId, session.key)).key, session.key)
  await session.close()
  documentServer.fault('command', { type: 'answer', status: 500 }, { times: Infinity })
  t.equal((await tryAgain(service, fileId, session.key)).key, session.key)
  t.equal(await key(), session.key)
})

t.test('attack: nor with another key, another document\'s token, or none', async t => {
  const service = await startService(t)
  const { app, fileId, key, clock } = service
  const first = await key()
  const { fileId: other } = await app.editorControl(ADA).uploadDocument(Buffer.from('other'), 'Other.txt')
  const { pageToken } = await app.editorControl(ADA).openDocument(other)
  t.match(await tryAgain(service, fileId, first, { token: '' }), { status: 403 })
  t.match(await tryAgain(service, fileId, first, { token: `${pageToken}x` }), { status: 403 })
  t.match(await tryAgain(service, fileId, first, { token: pageToken }), { status: 200, key: (await app.editorControl().openDocument(other)).documentKey })
  for (const wrong of ['', 'x', `${first}.1`, first.slice(0, -1)]) {
    await clock.advance(60_000)
    t.equal((await tryAgain(service, fileId, wrong)).key, first, wrong)
  }
  t.equal(await key(), first)
})
