import fc from 'fast-check'
import t from 'tap'
import { asDocumentServer, pathOfSaved } from '../../kit/http.js'
import { genuineClaims, tokenOver } from './genuine.js'
import { fuzz, mostly, TIMEOUT_MS } from './runs.js'
import { assertThat, BODY_LIMIT, errorOf, profiles, type Service, startService, stillWorks } from './service.js'

/** A callback's fields, in the order they are written: a name may come twice. */
export type Fields = ReadonlyArray<readonly [name: string, value: unknown]>

export interface Body {
  readonly fields: Fields
  /** Over which fields the document server's token is; `none` has no token. */
  readonly token: 'same' | 'without the last' | 'none'
  readonly spoiled: Spoiling
}

export type Spoiling =
  | { readonly how: 'not' }
  | { readonly how: 'cut' | 'byte' | 'flip', readonly at: number, readonly byte: number }
  | { readonly how: 'deep', readonly depth: number, readonly open: string }
  | { readonly how: 'mark' | 'utf16' | 'blank' | 'array' | 'number' | 'random' | 'long' }

const names = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'toJSON',
  'fileId',
  'iat',
  'exp',
  'nbf',
  'payload',
  '',
  'key',
  'status',
  'url',
  'é',
  '\u0000',
  'extra'
]
const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    1,
    2,
    6,
    2.5,
    -1,
    1e308,
    2 ** 53,
    '',
    ' ',
    '2',
    '6',
    [],
    {},
    [[]],
    [null],
    { length: 1e9 },
    { polluted: true },
    'Infinity',
    '\u2028</script>',
    '\ud800',
    'x'.repeat(3000)
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(fc.constantFrom(...names), fc.constantFrom<unknown>('polluted', { polluted: 1 }, ['polluted']), { maxKeys: 4 }),
  fc.string({ unit: 'binary', maxLength: 20 })
)

const users = fc.array(fc.constantFrom('ann', '😀', ''), { maxLength: 3 })
const valid: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  key: fc.constant('{{key}}'),
  status: mostly(fc.constantFrom(2, 6), fc.constantFrom(0, 1, 3, 4, 7)),
  url: mostly(
    fc.constantFrom('http://{{ds}}/ok', 'http://{{ds}}/ok/2.docx?md5=a', 'http://{{ds}}/gzip'),
    fc.constantFrom('http://{{ds}}/status/404', 'http://{{inside}}/ok', 'http://{{ds}}/cut', '', 'x'),
    6
  ),
  users,
  actions: fc.array(fc.record({ type: fc.constantFrom(0, 1, 2), userid: fc.constantFrom('ann', '😀') }), {
    maxLength: 2
  }),
  history: fc.record({
    serverVersion: fc.constant('9.4.1'),
    changes: fc.array(
      fc.record({
        created: fc.constantFrom('2026-01-01 10:00:00', 'never', ''),
        user: fc.record({ id: fc.constant('ann'), name: fc.string() })
      }),
      { maxLength: 2 }
    )
  }),
  lastsave: fc.constantFrom('2026-01-01T10:00:00.000Z', 'never'),
  notmodified: fc.boolean(),
  forcesavetype: fc.nat(3),
  filetype: mostly(fc.constantFrom('docx', 'DOCX'), fc.constantFrom('pdf', 'txt', '../x', 'html', 'x'.repeat(17)), 6),
  userdata: fc.string({ unit: 'binary', maxLength: 10 }),
  changesurl: fc.constant('http://{{inside}}/changes.zip')
}
const needed = ['key', 'status', 'url']

const good = fc.tuple(
  ...Object.entries(valid).map(([name, value]) =>
    fc.tuple(fc.constant(name), value, needed.includes(name) ? fc.constant(true) : fc.boolean())
  )
)
  .map(all => all.filter(([, , isThere]) => isThere).map(([name, value]): Fields[number] => [name, value]))

/** Up to two fields changed, left out, added, or there twice. */
const changed: fc.Arbitrary<Fields> = fc.tuple(
  good,
  fc.array(fc.tuple(fc.constantFrom('replace', 'drop', 'add', 'twice'), fc.nat(15), fc.constantFrom(...names), odd), {
    maxLength: 2
  })
).map(([fields, changes]) =>
  changes.reduce<Fields>((result, [how, at, name, value]) => {
    const index = at % Math.max(1, result.length)
    if (how === 'add' || result.length === 0) return [...result, [name, value]]
    if (how === 'drop') return result.toSpliced(index, 1)
    return [...(how === 'twice' ? result : result.toSpliced(index, 1)), [result[index]![0], value]]
  }, fields)
)

const spoiled: fc.Arbitrary<Spoiling> = fc.oneof(
  fc.record({
    how: fc.constantFrom('cut', 'byte', 'flip'),
    at: fc.nat(2000),
    byte: fc.constantFrom(0, 9, 0x22, 0x5c, 0x7b, 0x7d, 0x80, 0xc0, 0xff)
  }),
  fc.record({
    how: fc.constant('deep'),
    depth: fc.constantFrom(50, 99, 100, 101, 150, 1000, 8000, 20_000),
    open: fc.constantFrom('[', '{"a":', '[{"__proto__":', '[[[')
  }),
  fc.record({ how: fc.constantFrom('mark', 'utf16', 'blank', 'array', 'number', 'random', 'long') })
)

export const bodies: fc.Arbitrary<Body> = fc.record({
  fields: changed,
  token: mostly(fc.constant('same'), fc.constantFrom('without the last', 'none'), 6),
  spoiled: mostly(fc.constant({ how: 'not' }), spoiled, 3)
})

/** JSON with the fields as they stand: `__proto__` is a name like any other. */
export function jsonOf (fields: Fields): string {
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`
}

export function spoil (json: string, spoiled: Spoiling, limit: number): Buffer {
  const bytes = Buffer.from(json)
  switch (spoiled.how) {
    case 'cut': return bytes.subarray(0, spoiled.at % bytes.length)
    case 'byte': return Buffer.concat([bytes.subarray(0, spoiled.at % bytes.length), Buffer.of(spoiled.byte), bytes.subarray(spoiled.at % bytes.length)])
    case 'flip': return Buffer.from(bytes.map((byte, index) => index === spoiled.at % bytes.length ? byte ^ (1 << (spoiled.byte % 8)) : byte))
    case 'deep': return Buffer.from(json.replace(/\}$/, `,"deep":${nested(spoiled.depth, spoiled.open)}}`))
    case 'mark': return Buffer.concat([Buffer.from('\ufeff'), bytes])
    case 'utf16': return Buffer.from(json, 'utf16le')
    case 'blank': return Buffer.from(` \n\t${json}\r\n `)
    case 'array': return Buffer.from(`[${json}]`)
    case 'number': return Buffer.from(json.replace(/"status":(\d)/, '"status":$1.0e0'))
    case 'random': return Buffer.from('\u0000\u0001nonsense')
    case 'long': return Buffer.concat([bytes.subarray(0, -1), Buffer.from(`,"long":"${'x'.repeat(limit)}"}`)])
    default: return bytes
  }
}

function nested (depth: number, open: string): string {
  const close = [...open].filter(character => character === '[' || character === '{').reverse().map(character => character === '[' ? ']' : '}').join('')
  return `${open.repeat(depth)}1${close.repeat(depth)}`
}

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
  const given = JSON.parse(service.fill(JSON.stringify(fields)).replaceAll('{{key}}', key)) as Body['fields']
  const filled = profile === 'classic'
    ? given
    : given.map(([name, value]) => [name, name === 'url' ? asDocumentServer({ key, url: value }, [upstream.origin]).url : value] as const)
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
      pathOfSaved(String(counted.url)).replace(upstream.origin, '').startsWith('/ok') && counted.key === key &&
      counted.filetype === undefined && !(profile === 'secure' && counted.status === 6 && counted.forcesavetype === 3) && fields.every(([name]) => !DATES.has(name)) && token === 'same'
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
