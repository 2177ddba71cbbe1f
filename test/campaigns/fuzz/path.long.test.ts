import fc from 'fast-check'
import { posix } from 'node:path'
import t from 'tap'
import { HANDLER } from '../../kit/host.js'
import { fuzz, mostly, TIMEOUT_MS } from './runs.js'
import { assertThat, isNoHttp, isOfUpstream, type Service, startService, stillWorks } from './service.js'

const separator = mostly(fc.constant('/'), fc.constantFrom('//', '\\', '%2f', '%2F', '%5c', '%252f', '%25252F', '%255c', '%c0%af', '／', '＼', ''), 3)
const name = fc.oneof(
  fc.constantFrom('x', 'output.docx', 'data', 'My%20title.pdf', 'Q1%252fQ2.pdf', '100%25.pdf', 'é', '...pdf', 'a;b'),
  fc.constantFrom(
    '..',
    '.',
    '%2e%2e',
    '.%2E',
    '%252e%252e',
    '%25252e.',
    '..;',
    '..;a=b',
    '..%3b',
    '.;',
    ';',
    '%c0%ae%c0%ae',
    '．．',
    '․․',
    '..%00',
    '..%20',
    '...',
    '..%09',
    '%ff',
    '%',
    '%zz',
    '%u002e',
    '%0d%0a',
    '?',
    '#',
    '?/cache/files/x',
    '#/cache/files/x'
  ),
  fc.constantFrom('cache', 'files', 'Cache', 'FILES', 'cache/files', 'cache%2ffiles', 'info', 'info;', 'internal')
)
const steps = fc.array(fc.tuple(separator, name).map(parts => parts.join('')), { maxLength: 5 }).map(parts =>
  parts.join('')
)
const prefix = mostly(
  fc.constantFrom('', '/9.3.0-abc', '/editors', '/only%5foffice'),
  fc.constantFrom('/x;', '/x%2f', '/info?', '/..;', '/%2e%2e', '//', '/x//', '/%63'),
  3
)
const paths: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(prefix, fc.constant('/cache/files/'), name, steps).map(parts => parts.join('')) },
  { weight: 1, arbitrary: steps.map(path => `/${path}`) }
)

t.setTimeout(TIMEOUT_MS)

t.test('no document server path is fetched that any server could read as something other than a result file', async t => {
  const service = await startService(t, { reach: 'result files' })
  await fuzz(t, {
    name: 'path',
    share: 30,
    input: fc.record({ path: paths, redirected: mostly(fc.constant(false), fc.constant(true), 3) }),
    check: input => proxy(service, input),
    seen: { passed: 0.1, forbidden: 0.3 }
  })
  await stillWorks(t, service)
})

async function proxy (service: Service, { path, redirected }: { path: string, redirected: boolean }): Promise<string> {
  const { origin } = service.upstream
  const url = redirected ? `${origin}/cache/files/redirect?to=${encodeURIComponent(path.replace(/[^ -~]/gu, encodeURIComponent))}` : origin + path
  const { answer, requests } = await service.send({ target: `${HANDLER}?action=proxy&url=${encodeURIComponent(url)}`, headers: [service.proxyToken] })
  if (isNoHttp(answer)) return 'malformed'
  for (const request of requests) {
    for (const reading of readings(request)) assertThat(/(?:^|\/)cache\/files\//.test(reading), `${request} is fetched, which may be read as ${reading}`)
  }
  if (isOfUpstream(answer)) return 'passed'
  if (answer.status === 502) return 'failed' // a redirect to itself, or to nothing
  assertThat(answer.status === 403, `status ${answer.status}`)
  return 'forbidden'
}

/**
 * As servers may read what stands before the query: decoded so many times, with or without parameters, in one spelling
 * or another.
 */
function readings (request: string): string[] {
  const [path = ''] = request.split('?', 1)
  return [0, 1, 2, 3, 4].flatMap(times => {
    const decoded = Array.from({ length: times }).reduce<string>(text => decodedOnce(text), path)
    return [
      decoded, decoded.replace(/;[^/\\]*/g, ''), decoded.replace(/\0.*/s, ''), decoded.replace(/\s+(?=\/|$)/g, '')
    ].flatMap(text => [text, text.replaceAll('\\', '/'), text.normalize('NFKC').replaceAll('\\', '/')])
  }).map(text => posix.normalize(text))
}

/** Byte by byte, and as decoders do that take what is too long for UTF-8. */
function decodedOnce (text: string): string {
  const bytes = text.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\xc0([\x80-\xbf])/g, (_, last: string) => String.fromCharCode(last.charCodeAt(0) - 0x80))
  try {
    return decodeURIComponent(bytes.replace(/[%\x80-\xff]/g, character => `%${character.charCodeAt(0).toString(16)}`))
  } catch {
    return bytes
  }
}
