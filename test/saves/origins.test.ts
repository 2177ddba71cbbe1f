import type { RequestListener } from 'node:http'
import t, { type Test } from 'tap'
import { NEW, OLD, startEditing, type EditingOptions } from '../kit/editing.js'
import { answerWith, startUpstream } from '../kit/http.js'
import { packageOf } from '../kit/packages.js'

const OTHER = 'from elsewhere'

/** A service, its document server and a server elsewhere that must not be asked. */
async function startWithElsewhere (t: Test, options: EditingOptions = {}) {
  const elsewhere = await startUpstream(t, answerWith(OTHER))
  const editing = await startEditing(t, options)
  const hosts = { own: new URL(editing.documentServer.origin).host, other: new URL(elsewhere.origin).host, ownPort: editing.documentServer.port }
  return { ...editing, elsewhere, ...hosts, save: (url: string) => editing.post({ key: editing.key, status: 6, url }) }
}

t.test('a save whose url is on another origin is refused without a request', async t => {
  const { own, other, ownPort, documentServer, elsewhere, save, unchanged } = await startWithElsewhere(t)
  for (const url of [
    `http://${other}/x`,
    `http://localhost:${ownPort}/x`, // would reach the document server, and is not its origin all the same
    `https://${own}/x`,
    'http://127.0.0.1/x',
    `http://127.0.0.1.evil.test:${ownPort}/x`,
    `http://evil.127.0.0.1:${ownPort}/x`,
    `http://[::ffff:127.0.0.1]:${ownPort}/x`,
    `http://[::1]:${ownPort}/x`,
    `http://127.0.0.2:${ownPort}/x`,
    `http://${own}@${other}/x`,
    `http://${own}:80@${other}/x`,
    `http://u:p@${other}/x`,
    `http://${other}#@${own}/x`,
    `http://${other}?@${own}/x`,
    `http://${other}\\@${own}/x`,
    `http://${other}\\x@${own}`,
    `\t http://${other}/x`,
    `ht\ntp://${other}/x`,
    `http:${other}/x`,
    `http:/\\${other}/x`,
    `http://${own}.evil.test/x`,
    `http://${own}:${ownPort}/x`
  ]) {
    t.equal(await save(url), 1, JSON.stringify(url))
  }
  t.strictSame(elsewhere.requests, [])
  t.strictSame(documentServer.requests, [])
  await unchanged(t, 'another origin')
})

t.test('where any origin is allowed, only the parsed url of a save is used: no credentials, no fragment, however it is spelt', async t => {
  const authorizations: unknown[] = []
  const { own, other, ownPort, documentServer, elsewhere, save } = await startWithElsewhere(t, {
    documentServer: { origins: 'any' },
    allowPrivateAddresses: true,
    serve (request, response) {
      authorizations.push(request.headers.authorization)
      response.end(NEW)
    }
  })
  const urls = {
    [`http://u:p@${own}/1`]: '/1',
    [`http://${own}/2#@${other}/x`]: '/2',
    [`http://${own}\\@${other}\\3`]: `/@${other}/3`,
    [`HTTP://127.1:${ownPort}/4`]: '/4',
    [` http://${own}/\t5\n `]: '/5',
    [`http://2130706433:${ownPort}/a/../6?q=a b`]: '/6?q=a%20b',
    [`http:\\\\${own}\\7`]: '/7',
    [`http://127.0.0.1.:${ownPort}/8`]: '/8'
  }
  for (const url of Object.keys(urls)) t.equal(await save(url), 0, JSON.stringify(url))
  t.strictSame(documentServer.requests, Object.values(urls))
  t.ok(authorizations.every(value => value === undefined))
  t.strictSame(elsewhere.requests, [])
})

for (const status of [302, 307]) {
  t.test(`a redirect ${status} to another origin is refused; one within the origin is followed`, async t => {
    const routes: Record<string, RequestListener> = {
      '/off': (_request, response) => response.writeHead(status, { location: `${elsewhere.origin}/x` }).end(),
      '/off-in-two': answerWith('', status, { location: '/off' }),
      '/within': answerWith('', status, { location: '/file?a=1' }),
      '/file?a=1': answerWith(NEW)
    }
    const { documentServer, elsewhere, save, storedText, fileId } = await startWithElsewhere(t, {
      serve: (request, response) => routes[request.url!]!(request, response)
    })
    for (const path of ['/off', '/off-in-two']) {
      t.equal(await save(documentServer.origin + path), 1, path)
      t.equal(await storedText(fileId), OLD)
    }
    t.equal(elsewhere.requests.length, 0)
    t.equal(await save(`${documentServer.origin}/within`), 0)
    t.equal(await storedText(fileId), NEW)
  })
}

t.test('documentServer.origins adds to the document server\'s own origin', async t => {
  const added = await startUpstream(t, answerWith(OTHER))
  const { elsewhere, documentServer, save, storedText, fileId } = await startWithElsewhere(t, { documentServer: { origins: [added.origin] } })
  t.equal(await save(`${elsewhere.origin}/x`), 1)
  t.strictSame(elsewhere.requests, [])
  t.equal(await save(`${added.origin}/1`), 0)
  t.equal(await storedText(fileId), OTHER)
  t.equal(await save(`${documentServer.origin}/2`), 0)
  t.equal(await storedText(fileId), NEW)
})

t.test('documentServer.internalUrl: the document server is reached there, whichever of its origins a save names', async t => {
  const PUBLIC = 'http://docs.example.invalid'
  const hosts: unknown[] = []
  const internal = await startUpstream(t, (request, response) => {
    hosts.push(request.headers.host)
    if (request.url === '/redirect') response.writeHead(302, { location: `${PUBLIC}/redirected?md5=3` }).end()
    else response.end(packageOf(`at ${request.url}`))
  })
  const { elsewhere, save, storedText, fileId } = await startWithElsewhere(t, {
    documentServerOrigin: PUBLIC,
    documentServer: { internalUrl: internal.origin }
  })

  for (const [url, path] of [
    [`${PUBLIC}/cache/K_1/output.docx?md5=1&expires=2&a=b%20c`, '/cache/K_1/output.docx?md5=1&expires=2&a=b%20c'],
    [`${internal.origin}/direct`, '/direct'],
    [`${PUBLIC}/redirect`, '/redirected?md5=3']
  ] as const) {
    t.equal(await save(url), 0, url)
    t.equal(await storedText(fileId), packageOf(`at ${path}`))
  }
  t.ok(hosts.every(host => host === new URL(internal.origin).host))
  t.equal(await save(`${elsewhere.origin}/x`), 1, 'another origin is not rewritten')
  t.equal(elsewhere.requests.length, 0)
})
