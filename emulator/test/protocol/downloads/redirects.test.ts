import t from 'tap'
import { startBoth, startDocumentServer, startFakeHost } from '../../support.js'

for (const [redirects, taken] of [[21, true], [22, false]] as const) {
  t.test(`${redirects} redirects are ${taken ? 'followed' : 'too many'}`, async t => {
    const { host, server } = await startBoth(t)
    for (let left: number = redirects; left > 0; left--) {
      host.routes.set(`/${left}`, (_request, response) => { response.writeHead(302, { location: left === 1 ? '/files/notes.txt' : `/${left - 1}` }).end() })
    }
    const opening = server.open(host.config('K', { name: 'notes.txt', document: `/${redirects}` }))
    if (!taken) return await t.rejects(opening, { code: -81 })
    t.strictSame(await (await opening).content(), host.files.get('/files/notes.txt'))
    t.equal(host.received.filter(({ method }) => method === 'GET').length, 22)
  })
}

t.test('Authorization is kept for the same host and removed for another', async t => {
  const host = await startFakeHost(t)
  const other = await startFakeHost(t)
  const server = await startDocumentServer(t)
  host.routes.set('/first', (_request, response) => { response.writeHead(302, { location: '/second' }).end() })
  host.routes.set('/second', (_request, response) => { response.writeHead(302, { location: `${other.origin}/files/notes.txt` }).end() })
  await server.open(host.config('K', { name: 'notes.txt', document: '/first' }))
  const [first, second] = host.received.filter(({ method }) => method === 'GET')
  t.match(first!.headers.authorization, /^Bearer /)
  t.equal(second!.headers.authorization, first!.headers.authorization)
  t.equal(other.received.length, 1)
  t.equal('authorization' in other.received[0]!.headers, false)
})
