import t from 'tap'
import { noWayOut } from '../kit/network.js'
import { type HostOptions, startHost } from '../kit/host.js'
import { answerWith, startUpstream } from '../kit/http.js'

const hosts = [
  '127.0.0.1', '127.0.0.2', '127.1', '127.0.0.1.', '127.255.255.254', '0', '0.0.0.0', '10.0.0.1', '172.16.0.1',
  '192.168.0.1', '169.254.169.254', '100.64.0.1', '100.100.100.200', '168.63.129.16', '192.0.0.192', '198.18.0.1',
  '192.0.2.1', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', '2130706433', '017700000001',
  '0x7f000001', '0177.0.0.1', '0x7f.1', '0x7F.0x0.0x0.0x1', '127.0.1', '%31%32%37.0.0.1', '１２７.0.0.1', '127。0。0。1',
  '2852039166', '[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]',
  '[::ffff:169.254.169.254]', '[::7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]', '[2001:db8::1]', '[fc00::1]', '[fd00:ec2::254]',
  '[fe80::1]', '[fec0::1]', '[ff02::1]', '[100::1]', '[::ffff:0:127.0.0.1]', 'localhost', 'LocalHost', 'localhost.',
  'sub.localhost', 'user:password@127.0.0.1', 'docs.example.com@127.0.0.1'
]

t.test('a non-public IP address is refused without a connection, however it is written', async t => {
  const begun = noWayOut(t)
  const inside = await startUpstream(t, answerWith('inside'))
  const host = await startHost(t, { proxy: { allow: 'any' } })
  for (const name of hosts) {
    const response = await host.proxied(`http://${name}:${inside.port}/cache/files/meta-data`)
    t.equal(response.status, 403, name)
    t.match(await response.json(), { message: /^Blocked: \S+ is not allowed$/ })
  }
  t.equal((await host.proxied('https://127.0.0.1/')).status, 403)
  const own = new URL(host.origin).host
  t.strictSame(begun.filter(address => address !== own), [], 'only the test itself connects, to the service')
  t.equal(inside.connections(), 0)
})

t.test('a non-public IP address is fetched where an option allows it, and in classic', async t => {
  const inside = await startUpstream(t, answerWith('inside'))
  for (const options of [
    { proxy: { allow: 'any' }, allowPrivateAddresses: true },
    { proxy: { allow: [inside.origin] } },
    { profile: 'classic' },
    { profile: 'classic', allowPrivateAddresses: false, proxy: { allow: [inside.origin] } }
  ] as const) {
    const host = await startHost(t, options)
    const response = await host.proxied(inside.origin)
    t.equal(await response.text(), 'inside', JSON.stringify(options))
  }
  const host = await startHost(t, { profile: 'classic', allowPrivateAddresses: false })
  t.equal((await host.proxied(inside.origin)).status, 403, 'a single option overrides the profile')
})

t.test('the proxy fetches from a document server on a private IP address, whatever else it may fetch', async t => {
  let base = ''
  const documentServer = await startUpstream(t, (request, response) => {
    if (request.url === '/cache/files/moved') response.writeHead(302, { location: `${base.replace('127.0.0.1', '127.1')}/cache/files/file` }).end()
    else response.end('from the document server')
  })
  const table: HostOptions[] = [{}, { proxy: { allow: 'any' } }, {
    documentServerOrigin: 'https://docs.invalid',
    documentServer: { internalUrl: documentServer.origin },
    proxy: { allow: 'any' }
  }]
  for (const options of table) {
    const { documentServerOrigin = documentServer.origin } = options
    base = documentServerOrigin
    const host = await startHost(t, { ...options, documentServerOrigin })
    for (const path of ['/cache/files/file', '/cache/files/moved']) {
      const response = await host.proxied(base + path)
      t.equal(await response.text(), 'from the document server', `${path} ${JSON.stringify(options)}`)
    }
  }
})
