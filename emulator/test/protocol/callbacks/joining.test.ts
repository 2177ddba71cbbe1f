import t from 'tap'
import { realTime, sign, startDocumentServer, startFakeHost } from '../../support.js'

const ADA = { id: 'ada', name: 'Ada' }
const GRACE = { id: 'grace', name: 'Grace' }

t.test('status 1 reports who joined and who left while others stay', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const ada = await server.open(host.config('K', { user: ADA }))
  const grace = await server.open(host.config('K', { user: GRACE }))
  await ada.close()
  await grace.close()
  t.strictSame(host.callbacks(), [
    { key: 'K', status: 1, users: ['ada'], actions: [{ type: 1, userid: 'ada' }] },
    { key: 'K', status: 1, users: ['ada', 'grace'], actions: [{ type: 1, userid: 'grace' }] },
    { key: 'K', status: 1, users: ['grace'], actions: [{ type: 0, userid: 'ada' }] },
    { key: 'K', status: 4, actions: [{ type: 0, userid: 'grace' }] }
  ])
})

t.test('a restored connection and a reloaded page join without having left', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K', { user: ADA }))
  await session.edit('changed')
  await session.disconnect()
  await session.reconnect()
  const joined = { key: 'K', status: 1, users: ['ada'], actions: [{ type: 1, userid: 'ada' }] }
  t.strictSame(host.callbacks(), [joined, joined], 'restored')

  await session.disconnect()
  const reloaded = await server.open(host.config('K', { user: ADA }))
  t.strictSame(host.callbacks(), [joined, joined, joined], 'reloaded')
  await reloaded.close()
})

t.test('viewers are not reported', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const viewer = await server.open(host.config('K', { user: ADA, mode: 'view' }))
  await viewer.close()
  t.strictSame(host.callbacks(), [])
})

t.test('a refused status 1 shows a warning in the editor and has no other effect', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  host.answers[1] = { status: 500, body: 'no' }
  const session = await server.open(host.config('K', { user: ADA }))
  t.match(await session.nextEvent('warning'), { message: 'Error on save server subscription!' })
  await session.edit('changed')
  t.match(await session.close(), { status: 2, accepted: true })
  t.strictSame(host.statuses(), [1, 2], 'it was not sent again')
})

t.test('status 1 and the download of the document may come in either order', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  await (await server.open(host.config('first'))).close()
  server.fault('callback', { type: 'reorder' })
  await (await server.open(host.config('second'))).close()
  const order = host.received.map(({ body }) => body === null ? 'GET' : `${String(body.key)} ${String(body.status)}`)
  t.strictSame(order, ['first 1', 'GET', 'first 4', 'GET', 'second 4', 'second 1'])
})

t.test('an editor that opens the document does not wait for the answer to status 1, nor do others', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t, { clock: realTime })
  let answer = () => {}
  const held = new Promise<void>(resolve => { answer = resolve })
  host.beforeAnswer = async () => await held
  const ada = await server.open(host.config('K', { user: ADA }))
  await server.open(host.config('K', { user: GRACE }))
  t.match(host.callbacks(1), [{ users: ['ada'] }, { users: ['ada', 'grace'] }])
  host.answers[1] = { body: '{"error":1}' }
  answer()
  await ada.nextEvent('warning')
})

t.test('an editor that opens the document does not wait for the answer to the status 4 of the one that has left', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t, { clock: realTime })
  const ada = await server.open(host.config('K', { user: ADA }))
  let answer = () => {}
  const held = new Promise<void>(resolve => { answer = resolve })
  host.beforeAnswer = async ({ status }) => { if (status === 4) await held }
  const left = ada.close()
  while (host.callbacks(4).length === 0) await host.next()
  const grace = await server.open(host.config('K', { user: GRACE }))
  t.strictSame(host.statuses(), [1, 4, 1])
  answer()
  t.match(await left, { status: 4, accepted: true })
  await grace.close()
})

t.test('an editor that opens the document while it is being fetched is reported at once and waits for the same download', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  let send = () => {}
  host.routes.set('/files/report.docx', (_request, response) => { send = () => response.end('PK the document') })
  const opening = [ADA, GRACE].map(async user => await server.open(host.config('K', { user })))
  while (host.callbacks(1).length < 2 || host.received.length < 3) await host.next()
  t.match(host.callbacks(1), [{ users: ['ada'] }, { users: ['ada', 'grace'] }])
  send()
  for (const session of await Promise.all(opening)) t.equal(String(await session.content()), 'PK the document')
  t.equal(host.received.filter(({ method }) => method === 'GET').length, 1)
})

t.test('an editor that opens the document during a failing download fails with it, and both leave', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  let send = () => {}
  host.routes.set('/files/report.docx', (_request, response) => { send = () => response.socket!.destroy() })
  const opening = Promise.allSettled([ADA, GRACE].map(async user => await server.open(host.config('K', { user }))))
  while (host.callbacks(1).length < 2 || host.received.length < 3) await host.next()
  send()
  t.match(await opening, [{ reason: { code: -81 } }, { reason: { code: -81 } }])
  t.strictSame(host.statuses(), [1, 1, 1, 4])
})

t.test('a refused status 1 for a user who joins or leaves shows a warning to everybody present', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const ada = await server.open(host.config('K', { user: ADA }))
  host.answers[1] = { body: '{"error":1}' }
  const grace = await server.open(host.config('K', { user: GRACE }))
  for (const session of [ada, grace]) t.match(await session.nextEvent('warning'), { message: 'Error on save server subscription!' })
  await grace.close()
  for (const session of [ada, grace]) t.equal(session.events.filter(({ type }) => type === 'warning').length, 2)
})

for (const permission of ['comment', 'review', 'fillForms']) {
  t.test(`a user who may not edit but ${permission} is an editor: a status 1, then a status 2`, async t => {
    const host = await startFakeHost(t)
    const server = await startDocumentServer(t)
    const { token, ...config } = host.config('K')
    const restricted = { ...config, document: { ...config.document, permissions: { edit: false, [permission]: true } } }
    const session = await server.open({ ...restricted, token: sign(restricted) })
    t.equal(session.viewOnly, false)
    await session.edit('a comment')
    t.match(await session.close(), { status: 2, accepted: true })
    t.strictSame(host.statuses(), [1, 2])
  })
}

t.test('an editor without a callbackUrl is reported to that of the latest user who has one, otherwise not at all', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const { token, ...config } = host.config('K', { user: GRACE })
  const silent = { ...config, editorConfig: { ...config.editorConfig, callbackUrl: '' } }
  const open = async () => await server.open({ ...silent, token: sign(silent) })
  await (await open()).close()
  t.strictSame(host.callbacks(), [])
  await server.open(host.config('K', { user: ADA, callback: '/cb?of=ada' }))
  await open()
  t.match(host.received.at(-1), { path: '/cb?of=ada', body: { status: 1, users: ['ada', 'grace'] } })
})
