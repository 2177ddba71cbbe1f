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

t.test('a save whose url is on another origin is refused without a request (secure)', async t => {
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

t.test('a host name that merely starts with the document server\'s is refused (secure)', async t => {
  const editing = await startEditing(t, {
    documentServerOrigin: 'https://docs.example.com',
    documentServer: { internalUrl: 'http://127.0.0.1:9' }
  })
  for (
    const url of [
      'https://docs.example.com.evil.test/x',
      'https://docs.example.com@evil.test/x',
      'https://docs-example.com/x',
      'https://xdocs.example.com/x',
      'https://docs.example.com:444/x',
      'http://docs.example.com/x'
    ]
  ) {
    t.equal(await editing.post({ key: editing.key, status: 2, url }), 1, url)
  }
  await editing.unchanged(t, 'lookalikes')
})

t.test('where any origin is allowed, only the parsed url of a save is used: no credentials, no fragment, however it is spelt (secure)', async t => {
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

for (const status of [301, 302, 303, 307, 308]) {
  t.test(`a redirect ${status} to another origin is refused in secure and followed in classic; one within the origin is followed`, async t => {
    for (const profile of ['secure', 'classic'] as const) {
      await t.test(profile, async t => {
        const routes: Record<string, RequestListener> = {
          '/off': (_request, response) => response.writeHead(status, { location: `${elsewhere.origin}/x` }).end(),
          '/off-in-two': answerWith('', status, { location: '/off' }),
          '/within': answerWith('', status, { location: '/file?a=1' }),
          '/file?a=1': answerWith(NEW)
        }
        const { documentServer, elsewhere, save, storedText, fileId } = await startWithElsewhere(t, {
          profile,
          serve: (request, response) => routes[request.url!]!(request, response)
        })
        const refused = profile === 'secure'
        for (const path of ['/off', '/off-in-two']) {
          t.equal(await save(documentServer.origin + path), refused ? 1 : 0, path)
          t.equal(await storedText(fileId), refused ? OLD : OTHER)
        }
        t.equal(elsewhere.requests.length, refused ? 0 : 2)
        t.equal(await save(`${documentServer.origin}/within`), 0)
        t.equal(await storedText(fileId), NEW)
      })
    }
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

t.test('with any origin and private IP addresses allowed, a save is fetched from any origin (classic, and secure with options)', async t => {
  for (const options of [{ profile: 'classic' }, { documentServer: { origins: 'any' }, allowPrivateAddresses: true }] as const) {
    await t.test(JSON.stringify(options), async t => {
      const { elsewhere, save, storedText, fileId } = await startWithElsewhere(t, options)
      t.equal(await save(`${elsewhere.origin}/x`), 0)
      t.equal(await storedText(fileId), OTHER)
    })
  }
})

t.test('documentServer.origins restricts the origins (classic)', async t => {
  const { elsewhere, documentServer, save } = await startWithElsewhere(t, { profile: 'classic', documentServer: { origins: [] } })
  t.equal(await save(`${elsewhere.origin}/x`), 1)
  t.strictSame(elsewhere.requests, [])
  t.equal(await save(`${documentServer.origin}/x`), 0)
})

t.test('documentServer.internalUrl: the document server is reached there, whichever of its origins a save names', async t => {
  const PUBLIC = 'http://docs.example.invalid'
  for (const profile of ['secure', 'classic'] as const) {
    await t.test(profile, async t => {
      const hosts: unknown[] = []
      const internal = await startUpstream(t, (request, response) => {
        hosts.push(request.headers.host)
        if (request.url === '/redirect') response.writeHead(302, { location: `${PUBLIC}/redirected?md5=3` }).end()
        else response.end(packageOf(`at ${request.url}`))
      })
      const { elsewhere, save, storedText, fileId } = await startWithElsewhere(t, {
        profile,
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
      t.equal(await save(`${elsewhere.origin}/x`), profile === 'secure' ? 1 : 0, 'another origin is not rewritten')
      t.equal(elsewhere.requests.length, profile === 'secure' ? 0 : 1)
    })
  }
})
