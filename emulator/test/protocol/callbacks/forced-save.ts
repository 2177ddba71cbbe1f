import t from 'tap'
import { fakeClock } from '../../../lib/index.js'
import { postSigned, startDocumentServer, startFakeHost } from '../../support.js'

t.test('status 6 by the button names who pressed it, and has no notmodified', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const ada = await server.open(host.config('K', { user: { id: 'ada', name: 'Ada' }, callback: '/cb?of=ada' }))
  const grace = await server.open(host.config('K', { user: { id: 'grace', name: 'Grace' }, callback: '/cb?of=grace' }))
  await ada.edit('changed')
  t.match(await grace.forceSave(), { status: 6, accepted: true })
  const { path, body } = host.received.at(-1)!
  t.equal(path, '/cb?of=grace')
  t.match(body, { users: ['grace'], actions: [{ type: 2, userid: 'grace' }], forcesavetype: 1 })
  t.strictSame(Object.keys(body!),
    ['key', 'status', 'url', 'changesurl', 'history', 'users', 'actions', 'lastsave', 'forcesavetype', 'token', 'filetype'])

  await grace.forceSave({ type: 'timer' })
  t.equal(host.callbacks(6).length, 1, 'nothing new, nothing sent')
  await ada.edit('changed again')
  await grace.forceSave({ type: 'timer' })
  t.equal(host.received.at(-1)!.path, '/cb?of=ada', 'without a button it is of the last who changed')
  t.match(host.callbacks(6).at(-1), { users: ['ada'], actions: undefined, forcesavetype: 2 })
})

t.test('status 6 by command has forcesavetype 0, the userdata and no actions', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K'))
  await session.edit('changed')
  const { body } = await server.callback(1).then(async () => {
    await postSigned(`${server.url}/command`, { c: 'forcesave', key: 'K', userdata: 'my data' })
    return await server.callback(6)
  })
  t.match(body, { forcesavetype: 0, userdata: 'my data', users: ['uid-1'], actions: undefined })
})

t.test('status 6 of a submitted form has forcesavetype 3 and its data at formsdataurl', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K'))
  await session.edit('filled in')
  const formData = [{ key: 'name', value: 'Ada' }]
  await session.forceSave({ type: 'form', formData })
  const body = host.received.at(-1)!.body!
  t.match(body, { status: 6, forcesavetype: 3, actions: undefined })
  t.strictSame(Object.keys(body).slice(-3), ['token', 'formsdataurl', 'filetype'])
  t.strictSame(await (await fetch(String(body.formsdataurl))).json(), formData)
})

t.test('a refused 6 is sent again on demand with the same path, a new signature and encrypted false', async t => {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
  const session = await server.open(host.config('K'))
  await session.edit('changed')
  host.answers[6] = { status: 500, body: 'no' }
  t.match(await session.forceSave(), { status: 6, accepted: false })
  t.match(await session.event('forceSaved'), { accepted: false })
  t.equal(host.callbacks(6).length, 1, 'not retried by itself')

  host.answers = {}
  await clock.advance(1000)
  t.match(await session.forceSave(), { status: 6, accepted: true })
  const [first, second] = host.callbacks(6)
  t.strictSame([first!.encrypted, second!.encrypted], [undefined, false])
  t.equal(new URL(String(second!.url)).pathname, new URL(String(first!.url)).pathname)
  t.not(new URL(String(second!.url)).searchParams.get('md5'), new URL(String(first!.url)).searchParams.get('md5'))
  t.match(await session.close(), { status: 2, accepted: true }, 'the final save comes all the same')
})

t.test('status 7 says that a force save failed: no url, userdata as given', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K'))
  await session.edit('changed')
  server.fault('assembly', { type: 'fail' }, { times: 2 })
  t.match(await session.forceSave(), { status: 7 })
  const { lastsave, ...byButton } = host.callbacks(7)[0]!
  t.strictSame(byButton, { key: 'K', status: 7, users: ['uid-1'], actions: [{ type: 2, userid: 'uid-1' }], forcesavetype: 1 })
  t.match(lastsave, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)

  await session.edit('changed again')
  await postSigned(`${server.url}/command`, { c: 'forcesave', key: 'K', userdata: 'my data' })
  const { body } = await server.callback(7).then(async () => await server.callback(7))
  t.strictSame(Object.keys(body!), ['key', 'status', 'users', 'userdata', 'lastsave', 'forcesavetype', 'token'])
  t.match(body, { userdata: 'my data', forcesavetype: 0 })
  t.match(await session.close(), { status: 2, accepted: true })
})
