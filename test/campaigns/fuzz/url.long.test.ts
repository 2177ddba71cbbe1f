import fc from 'fast-check'
import t from 'tap'
import { HANDLER } from '../../kit/host.js'
import { savedAt } from '../../kit/http.js'
import { encoded, type Encoding, encodings } from './file-ids.js'
import { fuzz, mostly, TIMEOUT_MS } from './runs.js'
import { assertThat, callbackOf, errorOf, isNoHttp, isOfUpstream, SAVED, type Seen, type Service, startService, stillWorks } from './service.js'

const DOTTED = '127.0.0.1'
const port = fc.constantFrom('{{ds}}', '{{inside}}').map(host => host.replace('}}', 'Port}}'))
const spelling = fc.constantFrom(
  DOTTED,
  '127.1',
  '127.0.0.2',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '127。0。0。1',
  '127.0.0.1.',
  '0',
  '0.0.0.0',
  'localhost',
  'LOCALHOST.',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[fe80::1%25lo]',
  '169.254.169.254',
  '10.0.0.1',
  '192.168.0.1',
  '8.8.8.8',
  '[2606:4700::1]',
  'docs.example.invalid',
  'xn--nxasmq6b.invalid',
  'bücher.invalid',
  '127.0.0.1.docs.invalid',
  'a b',
  '',
  'ａ.invalid',
  'x'.repeat(300),
  '[::1',
  '::1',
  '256.256.256.256',
  '1.2.3.4.5'
)
const userinfo = fc.constantFrom(
  '{{ds}}@',
  'user:password@',
  'user@',
  '@',
  ':@',
  '{{ds}}#@',
  '{{ds}}\\@',
  '{{ds}}%2f@',
  'a@b@'
)
const scheme = mostly(
  fc.constantFrom('http://', 'https://'),
  fc.constantFrom(
    'HTTP://',
    'http:',
    'http:/',
    'http:\\\\',
    'http:///',
    '//',
    '',
    'ftp://',
    'file://',
    'ws://',
    'javascript:',
    'data:text/html,',
    'gopher://',
    'blob:http://',
    'jar:',
    'http+unix://',
    'view-source:http://',
    'ht\ttp://',
    ' http://',
    '\u0000http://'
  ),
  3
)
const rest = fc.oneof(
  fc.constantFrom(
    '/ok',
    '/ok/file.docx?md5=secret&expires=1',
    '/gzip',
    '/empty',
    '/html',
    '/cut',
    '/status/404',
    '/status/500',
    '/status/206',
    '/status/204',
    '/status/304',
    '/status/503'
  ),
  fc.constantFrom(
    '',
    '/',
    '//{{inside}}/ok',
    '/../ok',
    '/%2e%2e/ok',
    '/ok#fragment',
    '/ok?a=b#c@{{inside}}',
    '\\\\{{inside}}\\ok',
    '/ok\t/x',
    '/ok\n',
    '/é😀',
    '/%ff%00',
    `/${'long'.repeat(2000)}`,
    '/ok;x',
    '/ok HTTP/1.1\r\nX: y'
  )
)

/** In the place of the document server's address: nothing but it, or something that is not quite it. */
const deviating = fc.tuple(scheme, mostly(fc.constant(''), userinfo, 3), spelling, mostly(port, fc.constantFrom('', '0', '1', '65536', '-1', 'x', '9')), rest)
  .map(([scheme, user, host, port, rest]) => `${scheme}${user}${host}${port === '' ? '' : `:${port}`}${rest}`)
const usual = rest.map(rest => `http://{{ds}}${rest}`)
const redirected = fc.tuple(
  fc.constantFrom(
    'http://{{inside}}/',
    'https://{{inside}}/',
    '//{{inside}}/x',
    'file:///etc/passwd',
    '/ok',
    '/redirect?to=/redirect',
    'http://user:pw@{{ds}}/ok',
    'http://',
    '',
    'ok',
    '\\\\{{inside}}',
    'http://docs.example.invalid/'
  )
).map(([to]) => `http://{{ds}}/redirect?to=${encodeURIComponent(to).replaceAll('%7B', '{').replaceAll('%7D', '}')}`)
const own = fc.constantFrom(
  'http://{{self}}/',
  'http://{{self}}{{handler}}?action=proxy&url=http%3A%2F%2F{{ds}}%2Fok',
  'http://{{self}}{{handler}}?action=download&fileId=plain',
  'http://{{self}}{{handler}}?action=callback'
)
/** One character put in, taken out or changed. */
const slipped = fc.tuple(
  fc.oneof(usual, deviating),
  fc.nat(40),
  fc.constantFrom(
    '',
    '\t',
    '\n',
    '\\',
    '@',
    '#',
    '?',
    ':',
    '/',
    '.',
    '%',
    ' ',
    '\u00ad',
    '\u200b',
    '。',
    '\ufeff',
    '\0',
    '[',
    '١'
  ),
  fc.boolean()
)
  .map(([url, at, character, put]) => url.slice(0, at) + character + url.slice(put ? at : at + 1))

export const urls: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: usual },
  { weight: 5, arbitrary: deviating },
  { weight: 2, arbitrary: redirected },
  { weight: 1, arbitrary: own },
  { weight: 3, arbitrary: slipped },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.webUrl({ authoritySettings: { withIPv4: true, withIPv6: true, withUserInfo: true, withPort: true } }),
      fc.string({ unit: 'binary' }),
      fc.constant('')
    )
  }
)

interface Proxied {
  readonly url: string
  readonly encoding: Encoding
  readonly method: string
}

const proxied: fc.Arbitrary<Proxied> = fc.record({ url: urls, encoding: encodings, method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD', 'POST') })
/** In `secure` mostly the base of a file's URL. */
const saved = fc.record({ url: urls, status: fc.constantFrom(2, 6), isWhole: mostly(fc.constant(false), fc.constant(true), 3) })

t.setTimeout(TIMEOUT_MS)

t.test('no URL causes a connection to anything but an allowed origin', async t => {
  const service = await startService(t)
  await fuzz(t, {
    name: 'proxy',
    share: 80,
    input: proxied,
    check: input => proxy(service, input),
    seen: { passed: 0.1, 'bad request': 0.1, failed: 0.005, forbidden: 0.15 }
  })
  await fuzz(t, {
    name: 'save-from',
    share: 45,
    input: saved,
    check: input => saveBelow(service, input),
    seen: { stored: 0.1, refused: 0.2 }
  })
  await stillWorks(t, service)
})

async function proxy (service: Service, { url: text, encoding, method }: Proxied): Promise<string> {
  const filled = service.fill(text)
  const { answer, changed, requests } = await service.send({
    method,
    target: `${HANDLER}?action=proxy&url=${encoded(filled, encoding)}`,
    headers: [service.proxyToken]
  })
  assertThat(changed.length === 0, 'the proxy changed a file')
  if (isNoHttp(answer)) return 'malformed'
  if (method === 'POST') {
    assertThat(answer.status === 405 && requests.length === 0, `POST is answered ${answer.status}`)
    return 'not allowed'
  }
  if (encoding === 'component') assertExpected(service, filled, answer.status, answer.text, method)
  if (isOfUpstream(answer)) {
    assertThat(requests.length > 0, 'the upstream was not asked')
    assertThat(method === 'HEAD' || ['', 'upstream', SAVED, '<!doctype html><p>an error page'].includes(answer.text), 'the body is not the upstream\'s')
    return 'passed'
  }
  if (answer.status === 400) return 'bad request'
  if (answer.status === 403) return 'forbidden'
  assertThat(answer.status === 502 || answer.status === 504, `status ${answer.status}`)
  return 'failed'
}

/** `URL.canParse` fails on Node.js 22 for some hosts, once it has been called often. */
function parsed (text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** Of the domain name system. */
const MAX_HOST_LENGTH = 253

/** The expected answer for a URL, by its scheme and by its origin. */
function assertExpected ({ host, upstream }: Service, text: string, status: number, body: string, method: string): void {
  const url = text.isWellFormed() && text.trim() !== '' ? parsed(text) : undefined
  const hasScheme = url !== undefined && /^https?:$/.test(url.protocol)
  const isWeb = hasScheme && url.hostname.length <= MAX_HOST_LENGTH
  if (text.isWellFormed() && !isWeb) {
    assertThat(
      status === 400 && (method === 'HEAD' || body === (url && !hasScheme ? 'Unsupported URL scheme' : 'Invalid URL')),
      `an invalid URL is answered ${status} ${body.slice(0, 100)}`
    )
  }
  if (isWeb && url.origin !== upstream.origin) {
    assertThat(status === 403, `a URL of ${url.origin} is answered ${status}`)
  }
  if (isWeb && url.origin === upstream.origin) {
    assertThat(
      status !== 400 && (status !== 403 || url.pathname === '/redirect'),
      `a URL of the document server is answered ${status} by ${host.origin}`
    )
  }
}

interface Saved {
  readonly url: string
  readonly status: number
  readonly isWhole: boolean
}

/** Whatever is before the path of a saved file, the file is fetched from the document server; nothing else is. */
async function saveBelow (service: Service, { url: text, status, isWhole }: Saved): Promise<string> {
  const key = await service.keyOf('plain')
  const end = savedAt('', key)
  const base = service.fill(text)
  const seen = await postSave(service, { key, status, url: isWhole ? base : base + end })
  const error = errorOf(seen)
  if (error === 1 || seen.changed.length === 0) {
    assertThat(seen.changed.length === 0, 'a refused save changed the document')
    assertThat(seen.requests.length === 0, 'what is not stored was fetched')
    assertThat(isWhole || !/^https?:\/\//i.test(base), 'a good save is refused')
    assertThat(error === 1 || (isWhole && base.trim() === ''), 'acknowledged and not stored')
    return error === 1 ? 'refused' : 'without a url'
  }
  assertThat(!isWhole, 'a URL that names no saved file was believed')
  assertThat(seen.requests.length === 1 && seen.requests[0] === end, `the document server was asked for ${seen.requests}`)
  assertThat(seen.plain === SAVED, 'other bytes are stored')
  return 'stored'
}

async function postSave (service: Service, save: { readonly key: string, readonly status: number, readonly url: string }): Promise<Seen> {
  const target = new URL(service.host.urls.callback('plain'))
  return await service.send(callbackOf(target.pathname + target.search, { ...save, lastsave: 'now' }))
}
