import fc from 'fast-check'
import t from 'tap'
import { HANDLER } from '../../kit/host.js'
import { encoded, type Encoding, encodings } from './arbitraries/file-ids.js'
import { urls } from './arbitraries/urls.js'
import { fuzz, TIMEOUT_MS } from './runs.js'
import {
  assertThat, callbackOf, errorOf, isNoHttp, isOfUpstream, profiles, type Service, startService, stillWorks
} from './service.js'
import { SAVED } from './upstream.js'

interface Proxied {
  readonly url: string
  readonly encoding: Encoding
  readonly method: string
}

const proxied: fc.Arbitrary<Proxied> = fc.record({ url: urls, encoding: encodings, method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD', 'POST') })
const saved = fc.record({ url: urls, status: fc.constantFrom(2, 6) })

t.setTimeout(TIMEOUT_MS)

for (const profile of profiles) {
  t.test(`no URL causes a connection to anything but an allowed origin (${profile})`, async t => {
    const service = await startService(t, profile)
    await fuzz(t, {
      name: `proxy-${profile}`,
      share: 80,
      input: proxied,
      check: input => proxy(service, input),
      seen: { passed: 0.1, 'bad request': 0.1, failed: 0.005, ...(profile === 'secure' && { forbidden: 0.15 }) }
    })
    await fuzz(t, {
      name: `save-from-${profile}`,
      share: 45,
      input: saved,
      check: input => saveFrom(service, input),
      seen: { stored: 0.1, refused: 0.2 }
    })
    await stillWorks(t, service)
  })
}

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
  if (answer.status === 403) {
    assertThat(service.profile === 'secure', 'classic fetches any address')
    return 'forbidden'
  }
  if (answer.status === 502 || answer.status === 504) return 'failed'
  // the service itself, or who listens at another address of loopback
  assertThat(service.profile === 'classic', `status ${answer.status}`)
  return 'others'
}

/** `URL.canParse` fails on Node.js 20 for some hosts, once it has been called often. */
function parsed (text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** Of the domain name system. */
const MAX_HOST_LENGTH = 253

/** The expected answer for a URL, by its scheme and by what the profile allows of its origin. */
function assertExpected ({ profile, host, upstream }: Service, text: string, status: number, body: string, method: string): void {
  const url = text.isWellFormed() && text.trim() !== '' ? parsed(text) : undefined
  const hasScheme = url !== undefined && /^https?:$/.test(url.protocol)
  const isWeb = hasScheme && url.hostname.length <= MAX_HOST_LENGTH
  if (text.isWellFormed() && !isWeb) {
    assertThat(
      status === 400 && (method === 'HEAD' || body === (url && !hasScheme ? 'Unsupported URL scheme' : 'Invalid URL')),
      `an invalid URL is answered ${status} ${body.slice(0, 100)}`
    )
  }
  if (profile === 'secure' && isWeb && url.origin !== upstream.origin) {
    assertThat(status === 403, `a URL of ${url.origin} is answered ${status}`)
  }
  if (isWeb && url.origin === upstream.origin) {
    assertThat(
      status !== 400 && (status !== 403 || url.pathname === '/redirect'),
      `a URL of the document server is answered ${status} by ${host.origin}`
    )
  }
}

async function saveFrom (service: Service, { url: text, status }: { url: string, status: number }): Promise<string> {
  const url = service.fill(text)
  const fields = { key: await service.keyOf('plain'), status, url, lastsave: 'now' }
  const target = new URL(service.host.urls.callback('plain'))
  const seen = await service.send(callbackOf(service, target.pathname + target.search, fields))
  const error = errorOf(seen)
  const saved = parsed(url) // a lone surrogate is no more than an unusual character: JSON keeps it, and URLs replace it
  const isOwn = saved?.origin === service.upstream.origin
  if (service.profile === 'secure') assertThat(isOwn || seen.requests.length === 0, 'a URL of another origin was fetched')
  if (error === 1) {
    assertThat(seen.changed.length === 0, 'a refused save changed the document')
    assertThat(!(isOwn && /^\/(ok|gzip)\b/.test(saved.pathname)), 'a good save is refused')
    return 'refused'
  }
  assertThat(seen.changed.length > 0 ? seen.requests.length > 0 || service.profile === 'classic' : url.trim() === '', 'acknowledged and not stored')
  return seen.changed.length > 0 ? 'stored' : 'without a url'
}
