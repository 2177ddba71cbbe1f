import t from 'tap'
import { noWayOut } from '../kit/network.js'
import { NEW, startEditing } from '../kit/editing.js'
import { answerWith, startUpstream } from '../kit/http.js'
import { isOnS3 } from '../kit/storage.js'

const hostsOfStorage = isOnS3 ? [new URL(process.env.S3_TEST_ENDPOINT!).host] : []

t.test('where any origin is allowed, a callback naming a non-public IP address is refused without a connection', async t => {
  const inside = await startUpstream(t, answerWith('inside'))
  const begun = noWayOut(t)
  const editing = await startEditing(t, {
    documentServer: { origins: 'any' },
    serve: (_request, response) => response.writeHead(302, { location: `${inside.origin}/x` }).end()
  })
  for (const url of [
    `${inside.origin}/x`, `http://localhost:${inside.port}/x`, `http://[::1]:${inside.port}/x`,
    `http://2130706433:${inside.port}/x`, `http://0:${inside.port}/x`, 'http://169.254.169.254/x',
    'http://10.0.0.1/x', 'http://[::ffff:10.0.0.1]/x', `${editing.documentServer.origin}/redirect`
  ]) {
    for (const status of [2, 6]) t.equal(await editing.post({ key: editing.key, status, url }), 1, url)
  }
  t.equal(inside.connections(), 0)
  t.strictSame(new Set(begun), new Set([new URL(editing.origin).host, new URL(editing.documentServer.origin).host, ...hostsOfStorage]))
  await editing.unchanged(t, 'private addresses')
})

t.test('a callback may not name an origin that only proxy.allow lists', async t => {
  const elsewhere = await startUpstream(t, answerWith('inside'))
  for (const options of [{}, { documentServer: { origins: 'any' } }] as const) {
    const editing = await startEditing(t, { proxy: { allow: [elsewhere.origin] }, ...options })
    const through = await editing.proxied(elsewhere.origin)
    t.equal(await through.text(), 'inside')
    const before = elsewhere.connections()
    t.equal(await editing.post({ key: editing.key, status: 2, url: `${elsewhere.origin}/x` }), 1, JSON.stringify(options))
    t.equal(elsewhere.connections(), before)
    await editing.unchanged(t, 'an origin of the proxy')
  }
})

t.test('a save from a document server on a private IP address works, whatever else is allowed', async t => {
  const second = await startUpstream(t, answerWith(NEW))
  for (const options of [{}, { proxy: { allow: 'any' } }, { documentServer: { origins: 'any' } }, { documentServer: { origins: [second.origin] } }] as const) {
    const editing = await startEditing(t, options)
    t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url }), 0, JSON.stringify(options))
    t.equal(await editing.storedText(editing.fileId), NEW)
  }
  const named = await startEditing(t, { documentServer: { origins: [second.origin] } })
  t.equal(await named.post({ key: named.key, status: 2, url: `${second.origin}/x` }), 0, 'an origin that an option adds')
  t.equal(second.requests.length, 1)
})
