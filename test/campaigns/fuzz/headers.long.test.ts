import fc from 'fast-check'
import t from 'tap'
import { HANDLER } from '../../kit/host.js'
import { headerLines } from './arbitraries/headers.js'
import { contentOf } from './directory.js'
import { fuzz, mostly, TIMEOUT_MS } from './runs.js'
import {
  assertThat, callbackOf, errorOf, isNoHttp, isOfUpstream, profiles, type Seen, type Service, startService, stillWorks
} from './service.js'
import { SAVED } from './upstream.js'

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
  const { headers: own = [], body } = callbackOf(service, target, {
    key: await service.keyOf('plain'),
    status: 2,
    url: `${upstream.origin}/ok`
  })
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
