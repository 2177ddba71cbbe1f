import t from 'tap'
import { memoryStorage, type EditorStorage } from '../../lib/index.js'
import { HANDLER, signed, startHost } from '../kit/host.js'
import { exchangeGet, startUpstream } from '../kit/http.js'

t.test('an unknown action is answered 400, and nothing is read or written', async t => {
  const upstream = await startUpstream(t, (_request, response) => response.end('new'))
  const touched: string[] = []
  const touch = (name: string) => async () => { touched.push(name); return null }
  const methods = ['stat', 'read', 'create', 'replace', 'stage', 'snapshot', 'commit'].map(name => [name, touch(name)])
  const storage = { ...memoryStorage(), ...Object.fromEntries(methods) } as EditorStorage
  const host = await startHost(t, { storage, documentServerOrigin: upstream.origin })
  const file = `fileId=a&url=${encodeURIComponent(`${upstream.origin}/cache/files/x`)}`
  const headers = { 'x-editor-proxy-token': host.urls.proxyToken('a') }
  const queries = [
    '', `${file}`, `action=&${file}`, `action=Callback&${file}`, `action=CALLBACK&${file}`, `action=delete&${file}`,
    `action=callback&action=callback&${file}`, `action=callback&action=download&${file}`, `action=proxy&action=proxy&${file}`,
    `action=__proto__&${file}`, `action=constructor&${file}`, `action=hasOwnProperty&${file}`, `action[]=download&${file}`, `action=download%20&${file}`
  ]
  const payload = { status: 2, key: 'k', url: `${upstream.origin}/cache/files/x` }
  for (const query of queries) {
    for (const init of [
      { method: 'GET', headers },
      { method: 'POST', body: JSON.stringify({ ...payload, token: signed(payload) }), headers: { ...headers, 'content-type': 'application/json' } },
      { method: 'POST', body: 'no JSON' }
    ]) {
      const response = await fetch(`${host.origin}${HANDLER}?${query}`, init)
      t.equal(response.status, 400, `${init.method} ${query}`)
      t.match(await response.json(), { code: 'FST_EDITOR_UNKNOWN_ACTION', message: 'Unknown action: use callback, download, proxy or report' })
    }
  }
  t.strictSame(touched, [])
  t.strictSame(upstream.requests, [])
})

t.test('a method that the action does not support is answered 405 with Allow, and nothing is read or written', async t => {
  const upstream = await startUpstream(t, (_request, response) => response.end('new'))
  const host = await startHost(t, { documentServerOrigin: upstream.origin })
  const { fileId } = await host.storage.create('docx', Buffer.from('old'))
  const url = `${upstream.origin}/cache/files/x`
  const headers = { 'x-editor-proxy-token': host.urls.proxyToken(fileId) }
  const table = [
    { action: 'callback', allow: 'POST', methods: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] },
    { action: 'download', allow: 'GET, HEAD', methods: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] },
    { action: 'proxy', allow: 'GET, HEAD', methods: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] },
    { action: 'report', allow: 'POST', methods: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] }
  ]
  for (const { action, allow, methods } of table) {
    for (const method of methods) {
      const body = method === 'GET' || method === 'HEAD' ? {} : { body: 'no JSON' }
      const response = await fetch(host.handler({ action, fileId, url }), { method, headers, ...body })
      t.equal(response.status, 405, `${method} ${action}`)
      t.equal(response.headers.get('allow'), allow)
      await response.arrayBuffer()
    }
  }
  t.equal(await host.storedText(fileId), 'old')
  t.strictSame(upstream.requests, [])
})

t.test('repeated parameters are answered 404 or 400 and never crash the process', async t => {
  const host = await startHost(t, { profile: 'classic' })
  const { fileId } = await host.storage.create('docx', Buffer.from('content'))
  for (const [query, status] of [
    [`action=download&fileId=${fileId}&fileId=${fileId}`, 404],
    [`action=proxy&url=${host.origin}&url=${host.origin}`, 400]
  ] as const) {
    t.equal((await fetch(`${host.origin}${HANDLER}?${query}`)).status, status, query)
  }
  t.equal((await fetch(host.handler({ action: 'download', fileId }))).status, 200, 'still alive')
})

t.test('arrays and objects from the application\'s own query parser are answered 404 or 400', async t => {
  const values: Record<string, unknown> = { list: ['a'], object: { a: 'a' }, number: 7, flag: true, nothing: null }
  const host = await startHost(t, {
    profile: 'classic',
    server: {
      routerOptions: {
        querystringParser: text =>
          Object.fromEntries(
            [...new URLSearchParams(text)].map((
              [name, value]
            ) => [name, value.startsWith('~') ? values[value.slice(1)] : value])
          ) as Record<string, string>
      }
    }
  })
  for (const name of Object.keys(values)) {
    const download = await exchangeGet(t, host.origin, `${HANDLER}?action=download&fileId=~${name}`)
    t.match(download, /^HTTP\/1\.1 404 /, `download, ${name}`)
    const proxy = await exchangeGet(t, host.origin, `${HANDLER}?action=proxy&url=~${name}`)
    t.match(proxy, /^HTTP\/1\.1 400 /, `proxy, ${name}`)
    t.ok(proxy.endsWith('\r\n\r\nInvalid URL'))
    t.match(await exchangeGet(t, host.origin, `${HANDLER}?action=~${name}&fileId=a`), /^HTTP\/1\.1 400 /, `action, ${name}`)
  }
})
