import https from 'node:https'
import t, { type Test } from 'tap'
import tls, { type SecureVersion } from 'node:tls'
import { type FastifyOnlyofficeOptions, undiciClient } from '../../lib/index.js'
import { type Certificate, createAuthority, createCertificate } from '../kit/network.js'
import { startHost } from '../kit/host.js'
import { listen } from '../kit/http.js'

const authority = createAuthority()
const certificates: Record<string, Certificate> = {
  'self-signed': createCertificate(),
  'of an unknown authority': createCertificate({ issuer: createAuthority('Unknown authority') }),
  expired: createCertificate({ issuer: authority, expired: true }),
  'of another name': createCertificate({ issuer: authority, names: ['docs.example.com', '10.0.0.1'] }),
  valid: createCertificate({ issuer: authority })
}

async function startTls (t: Test, options: https.ServerOptions): Promise<string> {
  const { port } = await listen(t, https.createServer(options, (_request, response) => { response.end('over TLS') }))
  return `https://127.0.0.1:${port}`
}

/** What the proxy answers for an upstream, which is the host's document server. */
async function statusThrough (t: Test, origin: string, options: Partial<FastifyOnlyofficeOptions>): Promise<number> {
  const host = await startHost(t, { documentServerOrigin: origin, ...options })
  const response = await host.proxied(`${origin}/cache/files/x`)
  const body = await response.text()
  if (response.status === 200) t.equal(body, 'over TLS')
  return response.status
}

t.test('certificates are verified by default', async t => {
  for (const [what, certificate] of Object.entries(certificates)) {
    const origin = await startTls(t, { cert: certificate.cert, key: certificate.key })
    t.equal(await statusThrough(t, origin, {}), 502, `default: ${what}`)
    t.equal(await statusThrough(t, origin, { tls: { rejectUnauthorized: false } }), 200, `rejectUnauthorized: false: ${what}`)
    for (const ca of [authority.cert, [createAuthority('Another authority').cert, authority.cert]]) {
      t.equal(await statusThrough(t, origin, { tls: { ca } }), what === 'valid' ? 200 : 502, `tls.ca: ${what}`)
    }
  }
})

t.test('TLS must be at least 1.2 by default', async t => {
  const { cert, key } = certificates.valid!
  for (const version of ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as SecureVersion[]) {
    const origin = await startTls(t, { cert, key, minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' })
    const modern = version >= 'TLSv1.2'
    t.equal(await statusThrough(t, origin, { tls: { ca: authority.cert } }), modern ? 200 : 502, `default: ${version}`)
    const client = undiciClient({ tls: { ca: authority.cert } })
    const asked = client.request({ purpose: 'proxy', method: 'GET', url: new URL(origin), signal: new AbortController().signal })
    t.equal(await asked.then(({ status }) => status, () => 502), modern ? 200 : 502, `undiciClient(): ${version}`)
    await client.close?.()
    t.equal(
      await statusThrough(t, origin, { tls: { ca: authority.cert, minVersion: 'TLSv1' } }),
      200,
      `minVersion TLSv1: ${version}`
    )
    t.equal(
      await statusThrough(t, origin, { tls: { ca: authority.cert, minVersion: 'TLSv1.3' } }),
      version === 'TLSv1.3' ? 200 : 502,
      `minVersion TLSv1.3: ${version}`
    )
  }
})

t.test('TLS checks are not loosened process-wide', async t => {
  const { cert, key } = certificates['self-signed']!
  const origin = await startTls(t, { cert, key })
  t.equal(await statusThrough(t, origin, { tls: { rejectUnauthorized: false, minVersion: 'TLSv1' } }), 200)
  t.equal(process.env.NODE_TLS_REJECT_UNAUTHORIZED, undefined)
  t.equal(tls.DEFAULT_MIN_VERSION, 'TLSv1.2')
  t.notMatch(tls.DEFAULT_CIPHERS, 'SECLEVEL')
  t.equal(https.globalAgent.options.rejectUnauthorized, undefined)
  await t.rejects(fetch(origin), 'the host\'s own requests still verify')
})
