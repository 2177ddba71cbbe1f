import t, { type Test } from 'tap'
import { type EditorHttpClient, undiciClient } from '../../lib/index.js'
import { startHost } from '../kit/host.js'
import { answerWith, startUpstream } from '../kit/http.js'
import { noWayOut, startNameServer, type Zone } from '../kit/network.js'

/** Addresses of the outside: no test gets there, see `noWayOut`. */
const OUTSIDE = '93.184.216.34'
const OUTSIDE_IPV6 = '2606:2800:220:1::1'

/** A service whose proxy may fetch any origin, with an HTTP client that asks a name server of ours. */
async function startWithNames (t: Test, zone: Zone) {
  const inside = await startUpstream(t, answerWith('inside'))
  const names = await startNameServer(t, zone)
  const httpClient = undiciClient({ lookup: names.lookup })
  t.teardown(() => httpClient.close?.())
  const host = await startHost(t, { httpClient, proxy: { allow: 'any' } })
  const begun = noWayOut(t)
  return {
    inside,
    looks: names.looks,
    /** Where connections were begun to, other than to the service. */
    begun: () => begun.filter(address => address !== new URL(host.origin).host),
    fetch: (name: string) => host.proxied(`http://${name}:${inside.port}/x`)
  }
}

t.test('a host name with a non-public IP address is refused without a connection, whatever its other IP addresses', async t => {
  const names: Record<string, string[]> = {
    'loopback.test': ['127.0.0.1'],
    'private.test': ['10.0.0.1'],
    'metadata.test': ['169.254.169.254'],
    'azure.test': ['168.63.129.16'],
    'zero.test': ['0.0.0.0'],
    'both.test': [OUTSIDE, '127.0.0.1'],
    'both-reversed.test': ['127.0.0.1', OUTSIDE],
    'last-of-many.test': [OUTSIDE, '1.1.1.1', '8.8.8.8', '192.168.0.1'],
    'ipv6-loopback.test': ['::1'],
    'ipv6-beside.test': [OUTSIDE, '::1'],
    'ipv6-both.test': [OUTSIDE_IPV6, 'fd00::1'],
    'mapped.test': ['::ffff:127.0.0.1'],
    'mapped-beside.test': [OUTSIDE, OUTSIDE_IPV6, '::ffff:7f00:1'],
    'compatible.test': ['::7f00:1'],
    'nat64.test': ['64:ff9b::7f00:1'],
    '6to4.test': ['2002:7f00:1::'],
    'link-local.test': ['fe80::1']
  }
  const { inside, looks, begun, fetch } = await startWithNames(t, Object.fromEntries(Object.entries(names).map(([name, addresses]) => [name, () => addresses])))
  for (const name of Object.keys(names)) {
    const response = await fetch(name)
    t.equal(response.status, 403, name)
    t.match(await response.json(), { message: `Blocked: ${name} is not allowed` }, 'the resolved address stays inside')
  }
  t.strictSame(looks, Object.keys(names), 'every name was asked for, once')
  t.strictSame(begun().filter(address => !address.startsWith(OUTSIDE)), [])
  t.equal(inside.connections(), 0)
})

t.test('a host name whose DNS answer changes to loopback is connected to at the checked IP address, after a single look-up', async t => {
  const { inside, looks, begun, fetch } = await startWithNames(t, { 'flip.test': look => [look === 1 ? OUTSIDE : '127.0.0.1'] })
  const first = await fetch('flip.test')
  t.equal(first.status, 502, 'an allowed address that refuses connections')
  t.strictSame(looks, ['flip.test'])
  t.strictSame(begun(), [`${OUTSIDE}:${inside.port}`])

  const second = await fetch('flip.test')
  t.equal(second.status, 403, 'the next connection resolves the name again')
  t.strictSame(looks, ['flip.test', 'flip.test'])
  t.strictSame(begun(), [`${OUTSIDE}:${inside.port}`])
  t.equal(inside.connections(), 0)
})

t.test('a host name with public IP addresses only is connected to at one of them and nowhere else', async t => {
  const { inside, begun, fetch } = await startWithNames(t, { 'outside.test': () => [OUTSIDE, OUTSIDE_IPV6, '::ffff:8.8.8.8'] })
  const response = await fetch('outside.test')
  t.equal(response.status, 502)
  t.strictSame(begun(), [OUTSIDE, OUTSIDE_IPV6, '::ffff:8.8.8.8'].map(address => `${address}:${inside.port}`))
})

t.test('a host name that does not resolve is a failed request, not a refusal', async t => {
  const { inside, fetch } = await startWithNames(t, { 'empty.test': () => [] })
  for (const name of ['empty.test', 'unknown.test']) t.equal((await fetch(name)).status, 502, name)
  t.equal(inside.connections(), 0)
})

t.test('a host name that an option allows may have any IP address, even next to a connection that may not', async t => {
  const inside = await startUpstream(t, answerWith('inside'))
  const { lookup, looks } = await startNameServer(t, { 'docs.test': () => ['127.0.0.1'] })
  const httpClient: EditorHttpClient = undiciClient({ lookup })
  t.teardown(() => httpClient.close?.())
  const origin = `http://docs.test:${inside.port}`
  const naming = await startHost(t, { httpClient, proxy: { allow: [origin] } })
  const documentServer = await startHost(t, { httpClient, documentServerOrigin: origin, proxy: { allow: 'any' } })
  const any = await startHost(t, { httpClient, proxy: { allow: 'any' } })
  for (const [host, status] of [[naming, 200], [any, 403], [documentServer, 200], [any, 403]] as const) {
    const response = await host.proxied(`${origin}/cache/files/x`)
    t.equal(response.status, status)
    await response.text()
  }
  t.equal(inside.connections(), 1, 'a single open connection, not shared with requests that require public IP addresses')
  t.equal(looks.length, 3)
})
