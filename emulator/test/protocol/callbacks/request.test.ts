import t from 'tap'
import { startDocumentServer, startFakeHost } from '../../support.js'

t.test('a callback has the headers of the document server', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  await (await server.open(host.config('K', { user: { id: 'ü', name: 'Ü' } }))).close()
  const { headers, body } = host.received[0]!
  const { authorization, connection, host: hostHeader, ...others } = headers
  t.strictSame(others, {
    accept: 'application/json, text/plain, */*',
    'content-type': 'application/json',
    'user-agent': 'Node.js/6.13',
    'accept-encoding': 'gzip, compress, deflate, br',
    'content-length': String(Buffer.byteLength(JSON.stringify(body)))
  })
  t.match(connection, /^keep-alive$/i)
  t.match(authorization, /^Bearer [\w-]+\.[\w-]+\.[\w-]+$/)
  t.equal(hostHeader, new URL(host.origin).host)
})

t.test('a field without a value is omitted', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  await (await server.open(host.config('K'))).close()
  t.strictSame(host.received.flatMap(({ body }) => body === null ? [] : [Object.keys(body)]), [
    ['key', 'status', 'users', 'actions', 'token'],
    ['key', 'status', 'actions', 'token']
  ])
})

t.test('all fields together are in the order of the document server', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K'))
  await session.edit('one')
  await session.mailMerge({ from: 'a', subject: 'b', title: 'c', message: 'd', recipients: ['e'] })
  host.answers[6] = { body: '{"error":1}' }
  await session.forceSave({ type: 'form', userdata: 'u' })
  await session.forceSave({ type: 'form' })
  await session.close()
  const order = [
    'key', 'status', 'url', 'changesurl', 'history', 'users', 'actions', 'mailMerge', 'userdata', 'lastsave', 'notmodified',
    'forcesavetype', 'encrypted', 'token', 'formsdataurl', 'filetype'
  ]
  const seen = new Set<string>()
  for (const { body } of host.received) {
    const names = Object.keys(body ?? {})
    for (const name of names) seen.add(name)
    t.strictSame(names, order.filter(name => names.includes(name)), `status ${String(body?.status)}`)
  }
  t.strictSame([...seen].sort(), order.toSorted(), 'each one was observed')
})
