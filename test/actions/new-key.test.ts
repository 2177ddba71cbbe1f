import t from 'tap'
import { undiciClient } from '../../lib/index.js'
import { profiles } from '../kit/editing.js'
import { HANDLER, type Host } from '../kit/host.js'
import { startPair, startService } from '../kit/sessions.js'

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

for (const profile of profiles) {
  t.test(`a document whose conversion failed at opening gets a new key, and opens (${profile})`, async t => {
    const service = await startService(t, { profile })
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
}

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

t.test('attack: nor does a page whose user may not edit the document now', async t => {
  let isLocked = true
  const service = await startService(t, { canEdit: () => !isLocked })
  const { app, fileId, key } = service
  const first = await key()
  t.equal((await tryAgain(service, fileId, first)).key, first, 'canEdit denies it')
  isLocked = false
  await app.editorSessions.freeze(fileId)
  t.equal((await tryAgain(service, fileId, first)).key, first, 'it is frozen')
  await app.editorSessions.release(fileId)
  t.not((await tryAgain(service, fileId, first)).key, first)
})

t.test('attack: a page cannot discard a key that only another page has got', async t => {
  const service = await startService(t)
  const { app, fileId, clock, key } = service
  const first = await key()
  const { pageToken: token } = await app.editorControl(ADA).openDocument(fileId)
  const second = (await tryAgain(service, fileId, first)).key!
  await clock.advance(120_000)
  t.equal((await tryAgain(service, fileId, second, { token })).key, second, 'it names the key of the other page')
  t.equal((await tryAgain(service, fileId, first, { token })).key, second, 'or its own')
  t.equal(await key(), second)
  t.not((await tryAgain(service, fileId, second)).key, second, 'a page that has this key could not open it')
})

t.test('a page that could not open the document under the key that it was given either gets another one', async t => {
  const service = await startService(t)
  const { fileId, clock, key } = service
  const keys = [await key()]
  let token: string | undefined
  for (let count = 0; count < 3; count++) {
    const answer = await tryAgain(service, fileId, keys.at(-1)!, { ...token !== undefined && { token } })
    keys.push(answer.key!)
    token = answer.next!
    await clock.advance(60_000)
  }
  t.equal(new Set(keys).size, 4)
  t.equal(await key(), keys[3])
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
  const { fileId, open, key, documentServer, storage } = service
  const session = await open()
  const record = await storage.state!.get(fileId)
  await storage.state!.set(fileId, { format: 1, sessions: [], saves: [] }, record!.version)
  t.equal((await tryAgain(service, fileId, session.key)).key, session.key)
  await session.close()
  documentServer.fault('command', { type: 'answer', status: 500 }, { times: Infinity })
  t.equal((await tryAgain(service, fileId, session.key)).key, session.key)
  t.equal(await key(), session.key)
})

t.test('attack: nor from somebody who opens the document while the document server is asked about it', async t => {
  const client = undiciClient()
  t.teardown(() => client.close?.())
  let meanwhile = async () => {}
  const service = await startService(t, {
    httpClient: {
      async request (request) {
        const response = await client.request(request)
        const act = meanwhile
        meanwhile = async () => {}
        await act()
        return response
      }
    }
  })
  const { fileId, open, key } = service
  const first = await key()
  const joined: Array<Awaited<ReturnType<typeof open>>> = []
  meanwhile = async () => { joined.push(await open()) }
  t.equal((await tryAgain(service, fileId, first)).key, first)
  const [session] = joined
  t.equal(session?.key, first)
  t.match(await session?.close(), { status: 4 })
  t.equal(await key(), first)
})

t.test('attack: nor with another key, another document\'s token, or none', async t => {
  const service = await startService(t)
  const { app, fileId, key, clock } = service
  const first = await key()
  const other = await app.editorControl(ADA).setDocumentFromBytes(Buffer.from('other'), 'Other.txt')
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

t.test('attack: nor while what somebody typed before a cut connection is not saved', async t => {
  const { a, clock, control, fileId, open } = await startPair(t)
  const session = await open()
  await session.edit('typed')
  await session.disconnect()
  t.equal((await tryAgain(a, fileId, session.key)).key, session.key)
  t.notHas((await a.storage.state!.get(fileId))!.value, { unopened: {} }, 'nothing is noted for later')
  await session.reconnect()
  t.equal((await control('b')).documentKey, session.key)
  await session.disconnect()
  await clock.advance(5000)
  await session.saved()
})

t.test('all instances give the new key, and only one of them can change it', async t => {
  const { a, b, control, documentServer, fileId, open } = await startPair(t)
  const first = (await control('a')).documentKey
  documentServer.fault('opening', { type: 'error', error: -82 })
  await t.rejects(open(), { code: -82 })
  const answers = await Promise.all([a, b, a, b].map(async host => await tryAgain(host, fileId, first)))
  const second = (await control('b')).documentKey
  t.equal(second, `${first}.1`)
  t.strictSame(answers.map(({ key }) => key), Array(4).fill(second))
  t.match(await (await open()).close(), { status: 4 })
})
