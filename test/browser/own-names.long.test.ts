import { readdir } from 'node:fs/promises'
import type http from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { type Demo, startDemo, temporaryDirectory } from '../kit/programs.js'
import { exchangeGet, send } from '../kit/http.js'

const REFUSED = 421

/** The answer to a browser that requests this host name. */
async function ask (demo: Demo, path: string, host: string, { headers = {}, body }: { headers?: http.OutgoingHttpHeaders, body?: string } = {}) {
  const { status, headers: { 'content-type': type }, body: text } = await send(demo.url + path, { method: body === undefined ? 'GET' : 'POST', headers: { ...headers, host }, ...(body !== undefined && { body }) })
  return { status, type, body: text }
}

t.test('demo: a request with a foreign Host header is refused, and the answer says how to fix it', async t => {
  const directory = await temporaryDirectory(t)
  const demo = await startDemo(t, { directory })
  const id = await demo.idOf('Shopping list.md')
  const before = await readdir(join(directory, 'uploads'))

  const octets = { 'content-type': 'application/octet-stream' }
  for (const [path, request] of [
    ['/'], [`/edit/${id}`], [`/documents/${id}/download`], [`/documents/${id}/pdf`], ['/public/style.css'], ['/nowhere'], ['/edit/unknown'],
    [`/Controls/Editor/EditorHandler.ashx?action=download&fileId=${id}`],
    ['/documents?name=evil.txt', { headers: octets, body: 'content' }],
    ['/', { headers: { 'x-forwarded-host': 'localhost' } }]
  ] as const) {
    const answer = await ask(demo, path, `evil.example:${new URL(demo.url).port}`, request)
    t.strictSame(answer, {
      status: REFUSED,
      type: 'text/plain; charset=utf-8',
      body: 'Misdirected request: this demo does not answer to evil.example. If this is one of its names, add it to ALLOWED_HOSTS.\n'
    }, path)
  }
  t.strictSame(await readdir(join(directory, 'uploads')), before, 'nothing was stored')
})

t.test('demo: loopback host names are accepted in any spelling and with any port', async t => {
  const demo = await startDemo(t)
  for (const host of ['localhost', 'LocalHost:8080', 'localhost.', '127.0.0.1:1', '[::1]', '[0:0:0:0:0:0:0:1]:80']) {
    t.equal((await ask(demo, '/', host)).status, 200, host)
  }
  for (
    const host of [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'evil.localhost',
      '10.0.0.1',
      '[::2]',
      'localhost@evil.example',
      'evil.example#localhost',
      'localhost, evil.example'
    ]
  ) t.equal((await ask(demo, '/', host)).status, REFUSED, host)

  const status = async (target: string, headers?: Record<string, string>) => Number((await exchangeGet(t, demo.url, target, headers)).split(' ')[1])
  t.equal(await status('/', { Host: '' }), REFUSED, 'none')
  t.equal(await status('/', { host: 'evil.example' }), REFUSED, 'two')
  t.equal(await status('http://evil.example/'), REFUSED, 'a target that is a whole URL')
  t.equal(await status('http://localhost/'), 200)
})

t.test('demo: PUBLIC_BASE_URL and ALLOWED_HOSTS add host names; listening on all interfaces accepts IP addresses but no further names', async t => {
  const demo = await startDemo(t, {
    env: { HOST: '0.0.0.0', PUBLIC_BASE_URL: 'http://host:3000', ALLOWED_HOSTS: 'One.example, bücher.example,' }
  })
  for (
    const host of [
      'host:3000',
      'host',
      'one.example',
      'ONE.example:8080',
      'xn--bcher-kva.example',
      'localhost:3000',
      '127.0.0.1:3000',
      '192.168.1.2:3000',
      '[fe80::1]'
    ]
  ) {
    t.equal((await ask(demo, '/', host)).status, 200, host)
  }
  for (const host of ['evil.example', 'evil.one.example', 'hosts', '192.168.1.2.evil.example', 'one.example,']) {
    t.equal((await ask(demo, '/', host)).status, REFUSED, host)
  }
})

t.test('demo: ALLOWED_HOSTS accepts host names only', async t => {
  await t.rejects(startDemo(t, { env: { ALLOWED_HOSTS: 'one.example,http://two.example' } }), {
    message: /ALLOWED_HOSTS: http:\/\/two\.example is not a host name/
  })
})
