import fc from 'fast-check'
import t from 'tap'
import { HANDLER } from '../../kit/host.js'
import { contentOf } from './directory.js'
import { fuzz, mostly, TIMEOUT_MS } from './runs.js'
import { asDocumentServer } from '../../kit/http.js'
import { assertThat, callbackOf, errorOf, isNoHttp, isOfUpstream, profiles, SAVED, type Seen, type Service, startService, stillWorks } from './service.js'

const numbers = fc.constantFrom('', '0', '1', '5', '22', '99999', '-1', '00', '9'.repeat(30), 'x', '1.5', ' 1', '0x1')
const range = fc.oneof(
  fc.tuple(numbers, numbers).map(([start, end]) => `bytes=${start}-${end}`),
  fc.tuple(fc.nat(30), fc.nat(30)).map(([start, end]) => `bytes=${start}-${end}`),
  fc.array(fc.tuple(fc.nat(30), fc.nat(30)).map(([start, end]) => `${start}-${end}`), { maxLength: 40 }).map(parts => `bytes=${parts.join(',')}`),
  fc.constantFrom('bytes', 'bytes=', 'bytes=-', 'BYTES=0-1', 'lines=0-1', 'bytes=0-1;x', `bytes=${'0-,'.repeat(1000)}`)
)
const condition = fc.constantFrom(
  '*',
  '"x"',
  'W/"x"',
  '"',
  ',',
  '{{etag}}',
  'W/{{etag}}',
  '"a", {{etag}}',
  '{{modified}}',
  'Thu, 01 Jan 1970 00:00:00 GMT',
  'Fri, 31 Dec 9999 23:59:59 GMT',
  'never',
  '-1',
  `"${'a'.repeat(2000)}"`
)
const type = fc.constantFrom(
  'application/json',
  'text/plain',
  'application/json; charset=utf-16',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  '',
  ';',
  'a/b; charset="',
  'application/json;'.repeat(50),
  'ÿ/ÿ',
  '__proto__',
  '*/*'
)
const site = fc.constantFrom('same-origin', 'same-site', 'cross-site', 'none', '', 'x')
const origin = fc.constantFrom(
  '{{origin}}',
  'null',
  'http://evil.invalid',
  '',
  '{{origin}}.evil.invalid',
  'http://',
  '*',
  '{{origin}}, {{origin}}'
)
const host = fc.constantFrom(
  'evil.invalid',
  '',
  '{{ds}}',
  'a:99999',
  '[::1',
  'a b',
  '127.0.0.1:80@evil',
  'x'.repeat(500)
)
const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom('\u0080\u00ff', '\t', 'x'.repeat(9000), 'a,b,c', '__proto__', '"', '=?utf-8?q?x?='),
  fc.string({ unit: fc.constantFrom(...'\0\u0001\u007f\u0080\u00ff\r\n:,;="'), maxLength: 6 })
)

/** One well-known header with a value of its kind. */
const wellKnown: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: line(['Range'], range) },
  { weight: 5, arbitrary: line(['If-None-Match', 'If-Match', 'If-Modified-Since', 'If-Unmodified-Since', 'If-Range'], condition) },
  { weight: 2, arbitrary: line(['Content-Type'], type) },
  { weight: 2, arbitrary: line(['Sec-Fetch-Site'], site) },
  { weight: 2, arbitrary: line(['Origin'], origin) },
  { weight: 1, arbitrary: line(['Host'], host) },
  {
    weight: 1,
    arbitrary: line(
      [
        'Authorization',
        'Cookie',
        'Accept-Encoding',
        'X-Forwarded-For',
        'X-Forwarded-Host',
        'X-HTTP-Method-Override',
        'X-Original-URL',
        'Request-Id',
        'Accept',
        'Accept-Version',
        'Content-Encoding',
        'Trailer',
        'TE',
        'Referer'
      ],
      mostly(
        fc.constantFrom('gzip', 'Bearer x', 'Bearer', 'bearer eyJ.eyJ.x', 'DELETE', '1.x', '127.0.0.1', 'trailers'),
        text
      )
    )
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'Expect: 100-continue',
      'Expect: x',
      'Upgrade: websocket',
      'Upgrade: h2c',
      'Connection: keep-alive',
      'Connection: Upgrade',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: gzip',
      'Content-Length: 0',
      'Content-Length: x',
      'Content-Length: -1',
      'HTTP2-Settings: x'
    )
  }
)
const anything = line(['__proto__', 'constructor', 'X', 'x-é', '', ' ', 'a b', 'a:b', 'content-length\0', '(', '\u007f'], text)

/** Whole lines, a name as often as it comes. */
export const headerLines: fc.Arbitrary<string[]> = fc.array(mostly(wellKnown, anything, 12), { maxLength: 4 })

function line (names: readonly string[], value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(fc.constantFrom(...names), value).map(([name, value]) => `${name}: ${value}`)
}

interface Input {
  readonly action: 'download' | 'proxy' | 'callback'
  readonly method: string
  readonly lines: readonly string[]
  readonly isSigned: boolean
}

const inputs: fc.Arbitrary<Input> = fc.record({
  action: fc.constantFrom('download', 'download', 'proxy', 'callback'),
  method: mostly(fc.constant(''), fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'get', 'BREW', ' '), 5),
  lines: headerLines,
  isSigned: mostly(fc.constant(true), fc.constant(false))
})
const CONTENT = Buffer.from(contentOf('plain'))

t.setTimeout(TIMEOUT_MS)

for (const profile of profiles) {
  t.test(`any request headers get one of the allowed answers (${profile})`, async t => {
    const service = await startService(t, profile)
    await fuzz(t, {
      name: `headers-${profile}`,
      share: 60,
      input: inputs,
      check: input => request(service, input),
      seen: {
        served: 0.05,
        part: 0.005,
        'not modified': 0.001,
        unsatisfiable: 0.003,
        passed: 0.05,
        stored: 0.05,
        'no http': 0.02,
        ...(profile === 'secure' && { refused: 0.05 })
      }
    })
    await stillWorks(t, service)
  })
}

async function request (service: Service, { action, method: given, lines, isSigned }: Input): Promise<string> {
  const { host, upstream, profile } = service
  const method = given || (action === 'callback' ? 'POST' : 'GET')
  const { pathname, search } = new URL(action === 'proxy' ? host.origin : host.urls[action]('plain'))
  const query = action === 'proxy' ? `?action=proxy&url=${encodeURIComponent(`${upstream.origin}/ok`)}` : isSigned ? search : `?action=${action}&fileId=plain`
  const target = (action === 'proxy' ? HANDLER : pathname) + query
  const headers = (await withValidators(service, lines)).map(line => service.fill(line))
  const { headers: own = [], body } = callbackOf(service, target, asDocumentServer({
    key: await service.keyOf('plain'),
    status: 2,
    url: `${upstream.origin}/ok`
  }, [upstream.origin]))
  const seen = await service.send(
    action === 'callback'
      ? { method, target, headers: [...headers, ...own], ...(body && { body }) }
      : { method, target, headers: action === 'proxy' && isSigned ? [...headers, service.proxyToken] : headers }
  )

  const isAllowed = isSigned || profile === 'classic'
  assertThat(seen.changed.length === 0 || (action === 'callback' && method === 'POST' && isAllowed), 'a document changed')
  const { answer } = seen
  if (isNoHttp(answer) || answer.status === 417 || isOfHost(seen)) {
    assertThat(lines.length > 0 || given !== '', 'a good request is refused before the handler')
    return 'no http'
  }
  if (action === 'callback' && method === 'POST') return saved(seen, isAllowed)
  if (answer.status === 405) {
    assertThat(given !== '' && answer.header('allow') !== undefined, 'a method that is allowed is refused')
    return 'not allowed'
  }
  if (action === 'proxy') return proxied(seen, method, isAllowed)
  if (action === 'download') return downloaded(seen, method, isAllowed)
  throw new Error(`${method} of a callback is answered ${answer.status}`)
}

/** Of another route, or of none: the plugin answers no JSON but a callback's. */
function isOfHost ({ answer: { status, text } }: Seen): boolean {
  return status === 404 && /^\{"message":"Route [A-Z-]+:/.test(text)
}

async function withValidators ({ host }: Service, lines: readonly string[]): Promise<readonly string[]> {
  if (!lines.some(line => /\{\{(etag|modified)\}\}/.test(line))) return lines
  const { headers } = await fetch(host.urls.download('plain'), { method: 'HEAD' })
  return lines.map(line => line.replaceAll('{{etag}}', headers.get('etag')!).replaceAll('{{modified}}', headers.get('last-modified')!))
}

function saved (seen: Seen, isAllowed: boolean): string {
  const error = errorOf(seen)
  assertThat(isAllowed || error === 1, 'a callback without a signature is accepted')
  assertThat(error === 1 || seen.changed.length === 1, 'acknowledged and not stored')
  return error === 0 ? 'stored' : 'refused'
}

function proxied ({ answer, requests }: Seen, method: string, isAllowed: boolean): string {
  if (!isOfUpstream(answer)) {
    assertThat((answer.status === 403 || (answer.status === 401 && !isAllowed)) && requests.length === 0, `the proxy answers ${answer.status}`)
    return 'refused'
  }
  assertThat(isAllowed, 'the proxy answers who has no token')
  assertThat(answer.status === 200 && (method === 'HEAD' || answer.text === SAVED), 'the body is not the upstream\'s')
  return 'passed'
}

function downloaded ({ answer }: Seen, method: string, isAllowed: boolean): string {
  const { status, body } = answer
  if (status === 401 || status === 403) return 'refused'
  assertThat(isAllowed, `a download without a credential is answered ${status}`)
  if (status === 304) return 'not modified'
  if (status === 416) {
    assertThat(answer.header('content-range') === `bytes */${CONTENT.length}`, 'the size is missing')
    return 'unsatisfiable'
  }
  if (status === 206) {
    const [, start, end, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(answer.header('content-range') ?? '') ?? []
    assertThat(Number(size) === CONTENT.length && body.equals(CONTENT.subarray(Number(start), Number(end) + 1)), 'the part is not what its header says')
    return 'part'
  }
  assertThat(status === 200 && Number(answer.header('content-length')) === CONTENT.length, `a download is answered ${status}`)
  assertThat(body.equals(method === 'HEAD' ? Buffer.alloc(0) : CONTENT), 'the bytes are of another file')
  return 'served'
}
