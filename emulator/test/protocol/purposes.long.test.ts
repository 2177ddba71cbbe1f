import t from 'tap'
import type { DocumentServerOptions } from '../../lib/index.js'
import { claimsOf, headerClaims, sign, startBoth, startDocumentServer, startFakeHost } from '../support.js'

type Setting = Pick<DocumentServerOptions, 'version' | 'purposeCheck'>

const settings: readonly Setting[] = [
  {}, { version: '7.1.0' }, { version: '9.4' }, { version: '10.0' }, { version: '10.1.2.7', purposeCheck: 'strict' }, { version: '10.0', purposeCheck: 'off' }
]
const isNew = ({ version = '9.3' }: Setting) => version.startsWith('10.')
const checkOf = (setting: Setting) => setting.purposeCheck ?? (isNew(setting) ? 'validate' : 'off')

/** The services with a request that each answers without an error, given a token for it. */
const services = [
  {
    operation: 'command',
    path: '/command',
    fields: (_: string, key: string) => ({ c: 'saved', key, status: '1' }),
    refusal: 6
  },
  {
    operation: 'converter',
    path: '/converter',
    fields: (origin: string, key: string) => ({
      async: true,
      filetype: 'txt',
      outputtype: 'txt',
      key,
      url: `${origin}/files/notes.txt`
    }),
    refusal: -8
  },
  {
    operation: 'docbuilder',
    path: '/docbuilder',
    fields: (origin: string) => ({ async: true, url: `${origin}/files/notes.txt` }),
    refusal: -8
  }
] as const

/** Where the claim is. Inside `payload` it is not looked for. */
const tokens = {
  'flat, in the body': {
    isLookedAt: true,
    of: (fields: object, claim: object) => ({ body: { token: sign({ ...fields, ...claim }) } })
  },
  'beside payload, in the body': {
    isLookedAt: true,
    of: (fields: object, claim: object) => ({ body: { token: sign({ payload: fields, ...claim }) } })
  },
  'beside payload, in the header': {
    isLookedAt: true,
    of: (fields: object, claim: object) => ({
      body: fields,
      authorization: `Bearer ${sign({ payload: fields, ...claim })}`
    })
  },
  'inside payload': {
    isLookedAt: false,
    of: (fields: object, claim: object) => ({ body: { token: sign({ payload: { ...fields, ...claim } }) } })
  }
} as const

for (const setting of settings) {
  const check = checkOf(setting)
  t.test(`the claim operation of requests: version ${setting.version ?? 'default'}, purposeCheck ${check}`, async t => {
    const { host, server } = await startBoth(t, setting)
    let keys = 0
    for (const { operation, path, fields, refusal } of services) {
      for (const [place, { of, isLookedAt }] of Object.entries(tokens)) {
        for (const claimed of [undefined, 'command', 'converter', 'docbuilder', 'nonsense', 7]) {
          const claim = claimed === undefined ? {} : { operation: claimed }
          const { body, authorization } = of(fields(host.origin, `key-${keys++}`), claim) as { body: object, authorization?: string }
          const response = await fetch(`${server.url}${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', accept: 'application/json', ...(authorization && { authorization }) },
            body: JSON.stringify(body)
          })
          const { error = 0 } = await response.json() as { error?: number }
          const seen = isLookedAt ? claimed : undefined
          const isRefused = check === 'off' ? false : seen === undefined ? check === 'strict' : seen !== operation
          t.equal(error, isRefused ? refusal : 0, `${path} ${place}: ${String(claimed)}`)
        }
      }
    }
  })

  t.test(`a configuration with the claim: version ${setting.version ?? 'default'}, purposeCheck ${check}`, async t => {
    const { host, server } = await startBoth(t, setting)
    const { token: _, ...config } = host.config('key-1')
    for (const operation of ['browser', 'converter', 'nonsense']) {
      const opening = server.open({ ...config, token: sign({ ...config, operation }) })
      if (check === 'off') await (await opening).close()
      else await t.rejects(opening, { code: 4006 }, operation)
    }
    await (await server.open({ ...config, token: sign(config) })).close()
  })
}

t.test('a token of another kind is none for a service, even if it names the service or none', async t => {
  const host = await startFakeHost(t)
  const { token: _, ...config } = host.config('key-1')
  const others = {
    'a configuration': config,
    'a callback': { key: 'k', status: 2, url: host.origin },
    'a download': { payload: { url: host.origin } },
    nothing: {}
  }
  for (const [purposeCheck, isRefused] of [['validate', true], ['strict', true], ['off', false]] as const) {
    const server = await startDocumentServer(t, { version: '10.0', purposeCheck })
    for (const [kind, claims] of Object.entries(others)) {
      for (const { operation, path, refusal } of services) {
        if (operation === 'docbuilder' && kind !== 'a configuration') continue // it needs no more than a url
        const response = await fetch(`${server.url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify({ token: sign({ ...claims, operation }) })
        })
        const { error } = await response.json() as { error?: number }
        t.equal(error === refusal, isRefused, `${purposeCheck}: ${kind} at ${path}`)
      }
    }
  }
})

t.test('what it sends names its purpose with 10.0, and what operations says in each place', async t => {
  for (const [options, expected] of [
    [{}, {}],
    [{ version: '9.4' }, {}],
    [{ version: '10.0' }, { body: 'callback', header: 'callback', download: 'download' }],
    [{ version: '10.0', operations: {} }, {}],
    [{ operations: { body: 'a', header: 'b', payload: 'c', download: 'd' } }, { body: 'a', header: 'b', payload: 'c', download: 'd' }]
  ] as ReadonlyArray<readonly [Partial<DocumentServerOptions>, { body?: string, header?: string, payload?: string, download?: string }]>) {
    const { host, server } = await startBoth(t, options)
    const session = await server.open(host.config('key-1'))
    await session.edit('changed')
    t.equal((await session.close()).accepted, true)
    const download = headerClaims(host.received.find(({ method }) => method === 'GET')!)
    const save = host.received.find(({ body }) => body?.status === 2)!
    const header = headerClaims(save)
    t.strictSame([claimsOf(save.body!.token).operation, header.operation, (header.payload as { operation?: string }).operation, download.operation],
      [expected.body, expected.header, expected.payload, expected.download], JSON.stringify(options))
    t.notOk('operation' in save.body!, 'the plain fields do not have it')
  }
})
