import { Readable } from 'node:stream'
import t from 'tap'
import type { EditorHttpClient } from '../../lib/index.js'
import { startHost } from '../kit/host.js'

const origin = 'http://docs.example.com'

t.test('a custom HTTP client gets URLs without credentials and fragment, also after a redirect', async t => {
  const urls: string[] = []
  const httpClient: EditorHttpClient = {
    async request ({ url }) {
      urls.push(url.href)
      const moved = urls.length === 1
      const location = moved ? 'http://user:password@docs.example.com/cache/files/target?x#fragment' : undefined
      return { status: moved ? 302 : 200, header: name => name === 'location' ? location : undefined, body: Readable.from(['arrived']) }
    }
  }
  const host = await startHost(t, { documentServerOrigin: origin, httpClient })
  const response = await host.proxied('http://user:password@docs.example.com/cache/files/start#fragment')
  t.equal(await response.text(), 'arrived')
  t.strictSame(urls, [`${origin}/cache/files/start`, `${origin}/cache/files/target?x`])
})

t.test('a custom HTTP client is not called for special IP addresses, and is told which host names must be public, after a redirect too', async t => {
  const asked: string[] = []
  const httpClient: EditorHttpClient = {
    async request ({ url, publicOnly }) {
      asked.push(`${url.href} ${publicOnly ? 'public only' : 'any address'}`)
      const location = url.pathname === '/cache/files/moved' ? url.searchParams.get('to')! : undefined
      return { status: location ? 302 : 200, header: name => name === 'location' ? location : undefined, body: Readable.from(['arrived']) }
    }
  }
  const host = await startHost(t, { documentServerOrigin: origin, httpClient, proxy: { allow: 'any' } })
  const statusOf = async (url: string) => (await host.proxied(url)).status
  for (const special of ['http://10.0.0.1/', 'http://[::1]/', 'http://2852039166/', 'http://localhost/']) {
    t.equal(await statusOf(special), 403, special)
    t.equal(await statusOf(`${origin}/cache/files/moved?to=${special}`), 403, special)
    t.strictSame(asked.splice(0), [`${origin}/cache/files/moved?to=${special} any address`])
  }
  for (const url of ['http://elsewhere.example/x', 'http://8.8.8.8/x']) {
    t.equal(await statusOf(url), 200)
    t.equal(await statusOf(`${origin}/cache/files/moved?to=${url}`), 200)
    t.strictSame(asked.splice(0), [`${url} public only`, `${origin}/cache/files/moved?to=${url} any address`, `${url} public only`])
  }
  const open = await startHost(t, { documentServerOrigin: origin, httpClient, proxy: { allow: 'any' }, allowPrivateAddresses: true })
  t.equal((await open.proxied('http://10.0.0.1/')).status, 200)
  t.strictSame(asked, ['http://10.0.0.1/ any address'])
})

t.test('what a custom HTTP client returns and no header can have is left out', async t => {
  const untold = [null, 'application/octet-stream']
  for (const [value, ...told] of [['тип', ...untold], ['a\r\nSet-Cookie: b=c', ...untold], [' ', ...untold], ['', ...untold], ['a', 'a', 'a']]) {
    const header = (name: string) => /^content-(type|disposition)$/i.test(name) ? value! : undefined
    const httpClient: EditorHttpClient = { request: async () => ({ status: 200, header, body: Readable.from(['arrived']) }) }
    const { status, headers } = await (await startHost(t, { documentServerOrigin: origin, httpClient })).proxied(`${origin}/cache/files/x`)
    t.strictSame([status, headers.get('content-disposition'), headers.get('content-type')], [200, ...told], JSON.stringify(value))
  }
})
