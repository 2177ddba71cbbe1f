import t from 'tap'
import { systemClock } from '../../lib/protocol/clock/time.js'
import { fakeClock } from '../../lib/index.js'
import { fixture, startDocumentServer } from '../support.js'
import { startDriven } from './client.js'

const DONE = { httpStatus: 200, answer: { error: 0 }, accepted: true }

t.test('over HTTP a test opens, reads, edits, force-saves and closes documents as in its own process', async t => {
  const { server, host, get, post } = await startDriven(t)
  t.match(await get('/'), {
    status: 200,
    body: {
      name: 'onlyoffice-emulator',
      version: /^\d+\.\d+\.\d+/,
      documentServer: { version: /^\d+\.\d+\.\d+$/, behavesAs: /^\d+\.\d+$/ },
      url: server.url,
      editorApiUrl: server.editorApiUrl
    }
  })

  const opened = await post('/sessions', { config: host.config('K', { name: 'notes.txt' }), headers: { 'X-Forwarded-Prefix': '/office' } })
  t.match(opened, { status: 201, body: { key: 'K', userId: 'uid-1', viewOnly: false } })
  const session = `/sessions/${opened.body.id}`
  t.same(await get(session), { status: 200, body: opened.body })
  t.same(await get('/sessions'), { status: 200, body: { sessions: [opened.body] } })
  t.same((await get(`${session}/content`)).body, fixture('notes.txt'))

  t.same(await post(`${session}/edit`, { text: 'by HTTP' }), { status: 200, body: opened.body })
  t.equal(String((await get(`${session}/content`)).body), 'by HTTP')
  t.same(await post(`${session}/force-save`, { type: 'command', userdata: 'mine' }), { status: 200, body: { status: 6, ...DONE } })
  t.match(host.callbacks(6), [{ forcesavetype: 0, userdata: 'mine', url: /^http:\/\/[^/]+\/office\/cache\// }])
  t.same(await get(`${session}/saved`), { status: 200, body: { status: 6, ...DONE } })
  t.match((await get(`${session}/events`)).body.events, [{ type: 'joined', users: [{ name: 'John Smith' }] }, { type: 'ready' }])

  t.same(await post(`${session}/close`), { status: 200, body: { status: 2, ...DONE } })
  t.match(await get(session), { status: 404, body: { code: 'NOT_FOUND' } }, 'a closed session is dropped')
  t.same((await get('/sessions')).body.sessions, [])
})

t.test('a document\'s bytes are sent unchanged, with their format if it differs', async t => {
  const { host, get, post, postBytes, open } = await startDriven(t)
  const session = await open('K')
  t.equal((await postBytes(`${session}/edit`, fixture('report.docx'))).status, 200)
  t.same((await get(`${session}/content`)).body, fixture('report.docx'))
  t.equal((await postBytes(`${session}/edit?fileType=odt`, Buffer.from([0, 255, 1]))).status, 200)
  await post(`${session}/close`)
  t.match(host.callbacks(2), [{ filetype: 'odt' }])
})

t.test('an invalid request is refused with the reason', async t => {
  const { host, get, post, postBytes, remove, open } = await startDriven(t, { clock: systemClock })
  const session = await open('K')
  const viewer = await open('V', { mode: 'view' })
  const cases = [
    [post('/sessions', { config: { ...host.config('K'), token: undefined } }), 422, 4006, /^token:jwt must be provided$/],
    [post(`${viewer}/edit`, { text: 'x' }), 422, 4004, /viewing only/],
    [post('/sessions'), 400, 'INVALID', /required property 'config'/],
    [post('/sessions', []), 400, 'INVALID', /body must be object/],
    [post('/sessions', { config: {}, headers: { Host: 5 } }), 400, 'INVALID', /Host must be string/],
    [postBytes('/sessions', Buffer.from('{}')), 400, 'INVALID', /body must/],
    [post(`${session}/edit`, { text: 5 }), 400, 'INVALID', /text must be a string/],
    [post(`${session}/force-save`, { type: 'loud' }), 400, 'INVALID', /type must be equal to one of the allowed values/],
    [post(`${session}/force-save`, { userData: 'x' }), 400, 'INVALID', /must NOT have additional properties/],
    [post(`${session}/force-save`, { userdata: 5 }), 400, 'INVALID', /userdata must be string/],
    [post(`${session}/nothing`), 404, 'NOT_FOUND', /no such path/],
    [post('/sessions/none/close'), 404, 'NOT_FOUND', /no such session/],
    [get(`${session}/saved`), 409, 'NOT_POSSIBLE', /Nothing was edited/],
    [get('/next-callback?status=two'), 400, 'INVALID', /status must match pattern/],
    [get('/next-callback?timeout=soon'), 400, 'INVALID', /timeout must be/],
    [post('/faults', { route: 'nowhere', fault: { type: 'html' } }), 400, 'INVALID', /no route nowhere/],
    [post('/faults', { route: 'file', fault: { type: 'fail' } }), 400, 'INVALID', /Not a valid fault/],
    [post('/faults', { route: 'file', fault: { type: 'delay', ms: 'x' } }), 400, 'INVALID', /Not a valid fault/],
    [post('/faults', { route: 'file', fault: { type: 'html' }, options: { times: 0 } }), 400, 'INVALID', /times must be/],
    [remove('/faults/none'), 404, 'NOT_FOUND', /no such fault/],
    [post('/clock', { advance: 1 }), 409, 'NOT_POSSIBLE', /--fake-clock/],
    [get('/forgotten/none'), 404, 'NOT_FOUND', /no forgotten file/]
  ] as const
  for (const [answer, status, code, message] of cases) t.match(await answer, { status, body: { code, message } })
})

t.test('callbacks are awaited by status and document, each is returned once, with the application\'s answer', async t => {
  const { host, get, post, open } = await startDriven(t)
  const [first, second] = [await open('K1'), await open('K2')]
  const waiting = get('/next-callback?status=2&key=K2')
  for (const session of [first, second]) {
    await post(`${session}/edit`, { text: 'changed' })
    await post(`${session}/close`)
  }
  t.match(await waiting, {
    status: 200,
    body: {
      method: 'POST',
      url: `${host.origin}/cb?f=1`,
      body: { key: 'K2', status: 2 },
      answer: { status: 200, body: { error: 0 } }
    }
  })
  t.match(await get('/next-callback?status=2'), { body: { body: { key: 'K1' } } })
  t.match(await get('/next-callback?status=2&timeout=0'), { status: 504, body: { code: 'TIMEOUT' } })
})

t.test('the logs list sent and received requests without document bytes', async t => {
  const { server, host, get, open } = await startDriven(t)
  await open('K', { name: 'notes.txt' })
  await fetch(`${server.url}/healthcheck`)
  const { requests } = (await get('/sent-requests')).body
  t.match(requests.map(({ method, answer }: { method: string, answer: object }) => ({ method, answer })), [
    { method: 'POST', answer: { status: 200, body: { error: 0 } } },
    { method: 'GET', answer: { status: 200, body: { bytes: fixture('notes.txt').length } } }
  ])
  t.equal(requests[1].url, `${host.origin}/files/notes.txt`)
  t.match((await get('/received-requests')).body.requests, [{ method: 'GET', url: '/healthcheck', status: 200, answer: true }])
  t.equal(server.receivedRequests.length, 1, 'requests of the remote control are not listed')
})

t.test('a request that the application did not answer is logged with the reason', async t => {
  const { host, get, open } = await startDriven(t)
  host.routes.set('/cb', request => { request.socket.destroy() })
  await open('K')
  t.match((await get('/next-callback?status=1')).body, { answer: null, error: /./ })
})

t.test('faults apply as many times as requested until they are removed', async t => {
  const { server, post, remove } = await startDriven(t)
  const health = async () => (await fetch(`${server.url}/healthcheck`)).status
  const fault = { type: 'answer', status: 503 }
  const { status, body: { id } } = await post('/faults', { route: 'healthcheck', fault, options: { times: 'always' } })
  t.equal(status, 201)
  t.same([await health(), await health()], [503, 503])
  t.equal((await remove(`/faults/${id}`)).status, 200)
  t.equal(await health(), 200)

  await post('/faults', { route: 'healthcheck', fault })
  await post('/faults', { route: 'healthcheck', fault, options: { after: 1 } })
  t.same((await remove('/faults')).body, { removed: 2 })
  t.equal(await health(), 200)
})

t.test('a fake clock is moved; a lost connection is saved after five seconds, a restored one is not', async t => {
  const { host, get, post, open } = await startDriven(t, { clock: fakeClock() })
  const session = await open('K')
  await post(`${session}/edit`, { text: 'changed' })
  await post(`${session}/disconnect`)
  t.equal((await post('/clock', { advance: 4999 })).status, 200)
  t.equal((await post(`${session}/reconnect`)).status, 200)
  await post('/clock', { advance: 60_000 })
  t.same(host.callbacks(2), [])
  await post(`${session}/disconnect`)
  await post('/clock', { advance: 5000 })
  t.equal(host.callbacks(2).length, 1)
  t.match(await post(`${session}/reconnect`), { status: 422, body: { code: 4008 } })
  t.match(await post('/clock', { advance: -1 }), { status: 400 })
  t.ok((await get('/')).status)
})

t.test('forgotten files are listed and can be fetched', async t => {
  const { host, get, post, open } = await startDriven(t)
  host.answers[2] = { body: '{"error":1}' }
  const session = await open('K', { name: 'notes.txt' })
  await post(`${session}/edit`, { text: 'changed' })
  t.match(await post(`${session}/close`), { status: 200, body: { accepted: false } })
  t.match((await get('/forgotten')).body, { files: [{ key: 'K', fileType: 'txt', size: 7, storedAt: Number }] })
  t.equal(String((await get('/forgotten/K')).body), 'changed')
})

t.test('at most a hundred sessions are open, and all can be closed at once', async t => {
  const { host, get, post, remove } = await startDriven(t)
  const opened = await Promise.all(Array.from({ length: 101 }, async (_, index) => await post('/sessions', { config: host.config(`K${index}`) })))
  t.equal(opened.filter(({ status }) => status === 201).length, 100)
  t.match(opened.find(({ status }) => status !== 201), { status: 429, body: { code: 'TOO_MANY_SESSIONS', message: /DELETE \/emulator\/sessions/ } })
  t.same((await remove('/sessions')).body, { closed: 100 })
  t.same((await get('/sessions')).body.sessions, [])
  t.equal(host.callbacks(4).length, 100)
})

t.test('the remote control exists only if it was enabled', async t => {
  const server = await startDocumentServer(t)
  t.equal((await fetch(`${server.url}/emulator`)).status, 404)
  t.equal((await fetch(`${server.url}/emulator/sessions`)).status, 404)
})
