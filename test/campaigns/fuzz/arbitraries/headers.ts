import fc from 'fast-check'
import { mostly } from '../runs.js'

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
