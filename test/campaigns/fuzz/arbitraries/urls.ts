import fc from 'fast-check'
import { mostly } from '../runs.js'

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
