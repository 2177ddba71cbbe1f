import t from 'tap'
import { bodies, type Body, jsonOf, spoil } from './arbitraries/bodies.js'
import { genuineClaims, tokenOver } from './genuine.js'
import { fuzz, TIMEOUT_MS } from './runs.js'
import { assertThat, BODY_LIMIT, errorOf, profiles, type Service, startService, stillWorks } from './service.js'

const MAX_DEPTH = 100

/** A token with an invalid date may be refused. */
const DATES: ReadonlySet<string> = new Set(['iat', 'exp', 'nbf'])

t.setTimeout(TIMEOUT_MS)

for (const profile of profiles) {
  t.test(`any callback body gets a valid answer, and only a valid save is stored (${profile})`, async t => {
    const service = await startService(t, profile)
    await fuzz(t, {
      name: `body-${profile}`,
      share: profile === 'secure' ? 100 : 70,
      input: bodies,
      check: input => post(service, input),
      seen: { stored: 0.1, acknowledged: 0.03, refused: 0.2 }
    })
    await stillWorks(t, service)
  })
}

async function post (service: Service, { fields, token, spoiled }: Body): Promise<string> {
  const { profile, host, upstream } = service
  const key = await service.keyOf('plain')
  const filled = JSON.parse(service.fill(JSON.stringify(fields)).replaceAll('{{key}}', key)) as Body['fields']
  const claims = JSON.parse(jsonOf(token === 'same' ? filled : filled.slice(0, -1))) as object
  const signedFields = profile === 'secure' && token !== 'none' ? [...filled, ['token', tokenOver(claims)] as const] : filled
  const body = spoil(jsonOf(signedFields), spoiled, BODY_LIMIT)

  const target = new URL(host.urls.callback('plain'))
  const seen = await service.send({ method: 'POST', target: target.pathname + target.search, headers: ['Content-Type: application/json'], body })
  const error = errorOf(seen)
  const read = fieldsOf(body)
  const counted = profile === 'secure' ? genuineClaims(read?.token) : read

  assertThat(
    error === 1 || (counted !== undefined && Number.isInteger(counted.status)),
    'what is no callback is accepted'
  )
  assertThat(
    profile === 'classic' || error === 1 ||
      (typeof counted?.key === 'string' && host.keys.isForFile('plain', counted.key)),
    'a callback under the key of another file is accepted'
  )
  if (seen.changed.length === 0) {
    const isGood = spoiled.how === 'not' && counted !== undefined && isSave(counted) &&
      String(counted.url).startsWith(`${upstream.origin}/ok`) && counted.key === key &&
      counted.filetype === undefined && fields.every(([name]) => !DATES.has(name)) && token === 'same'
    assertThat(!isGood, 'a valid save is not stored')
    return error === 1 ? 'refused' : 'acknowledged'
  }
  assertThat(error === 0, 'a refused save is stored')
  assertThat(seen.changed.every(fileId => fileId === 'plain'), 'another file changed')
  assertThat(counted !== undefined && isSave(counted), 'what is stored was no save')
  assertThat(seen.requests.length > 0 || profile === 'classic', 'what is stored was not fetched')
  return 'stored'
}

function isSave ({ status, url }: Record<string, unknown>): boolean {
  return (status === 2 || status === 6) && typeof url === 'string' && url.trim() !== ''
}

/** The body parsed as a callback, independently of the plugin. */
function fieldsOf (body: Buffer): Record<string, unknown> | undefined {
  try {
    if (body.length > BODY_LIMIT) return undefined
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return depthOf(value) <= MAX_DEPTH && typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Record<string, unknown> : undefined
  } catch {
    return undefined
  }
}

function depthOf (value: unknown): number {
  let deepest = 0
  const open: Array<readonly [value: unknown, depth: number]> = [[value, 0]]
  for (let next = open.pop(); next; next = open.pop()) {
    const [inner, depth] = next
    deepest = Math.max(deepest, depth)
    if (typeof inner === 'object' && inner !== null) for (const each of Object.values(inner)) open.push([each, depth + 1])
  }
  return deepest
}
