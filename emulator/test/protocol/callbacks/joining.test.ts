import t from 'tap'
import { systemClock } from '../../../lib/protocol/clock/time.js'
import { sign, startBoth } from '../../support.js'

const ADA = { id: 'ada', name: 'Ada' }
const GRACE = { id: 'grace', name: 'Grace' }

t.test('status 1 and the download of the document may come in either order', async t => {
  const { host, server } = await startBoth(t)
  await (await server.open(host.config('first'))).close()
  server.fault('callback', { type: 'reorder' })
  await (await server.open(host.config('second'))).close()
  const order = host.received.map(({ body }) => body === null ? 'GET' : `${String(body.key)} ${String(body.status)}`)
  t.strictSame(order, ['first 1', 'GET', 'first 4', 'GET', 'second 4', 'second 1'])
})

t.test('an editor that opens the document does not wait for the answer to status 1, nor do others', async t => {
  // While a request is under way, a fake clock would wait for it.
  const { host, server } = await startBoth(t, { clock: systemClock })
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
  const { host, server } = await startBoth(t, { clock: systemClock })
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
  const { host, server } = await startBoth(t)
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
  const { host, server } = await startBoth(t)
  let send = () => {}
  host.routes.set('/files/report.docx', (_request, response) => { send = () => response.socket!.destroy() })
  const opening = Promise.allSettled([ADA, GRACE].map(async user => await server.open(host.config('K', { user }))))
  while (host.callbacks(1).length < 2 || host.received.length < 3) await host.next()
  send()
  t.match(await opening, [{ reason: { code: -81 } }, { reason: { code: -81 } }])
  t.strictSame(host.statuses(), [1, 1, 1, 4])
})

t.test('an editor without a callbackUrl is reported to that of the latest user who has one, otherwise not at all', async t => {
  const { host, server } = await startBoth(t)
  const { token, ...config } = host.config('K', { user: GRACE })
  const silent = { ...config, editorConfig: { ...config.editorConfig, callbackUrl: '' } }
  const open = async () => await server.open({ ...silent, token: sign(silent) })
  await (await open()).close()
  t.strictSame(host.callbacks(), [])
  await server.open(host.config('K', { user: ADA, callback: '/cb?of=ada' }))
  await open()
  t.match(host.received.at(-1), { path: '/cb?of=ada', body: { status: 1, users: ['ada', 'grace'] } })
})
