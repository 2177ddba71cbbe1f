import t from 'tap'
import { isPublicIp, mayBePublicHost } from '../../lib/security/public-ip.js'

/** Each special range: what lies next before it, its first and its last address, what lies next after it. */
const ranges: ReadonlyArray<readonly [before: string | null, first: string, last: string, after: string | null]> = [
  [null, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17'],
  ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['192.31.195.255', '192.31.196.0', '192.31.196.255', '192.31.197.0'],
  ['192.52.192.255', '192.52.193.0', '192.52.193.255', '192.52.194.0'],
  ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['192.175.47.255', '192.175.48.0', '192.175.48.255', '192.175.49.0'],
  ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['223.255.255.255', '224.0.0.0', '239.255.255.255', null],
  [null, '240.0.0.0', '255.255.255.255', null],
  [null, '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
  ['2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
  ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
  ['2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
  ['2620:4f:7fff:ffff:ffff:ffff:ffff:ffff', '2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', '2620:4f:8001::'],
  ['3ffd:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe::', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
  [null, '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::'],
  ['3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null]
]

const special = [
  '127.0.0.1', '169.254.169.254', '169.254.170.2', '100.100.100.200', '192.0.0.192', '10.1.2.3', '224.0.0.251',
  '239.255.255.250', '255.255.255.254', '::1', '::2', '::7f00:1', '::127.0.0.1', '::8.8.8.8', '::ffff:0:127.0.0.1',
  '::ffff:0:8.8.8.8', '0:0:0:0:0:0:0:1', '64:ff9b:1::', '64:ff9b:1::8.8.8.8', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff',
  '64:ff9b::1:808:808', '64:ff9b:0:1::808:808', '64:ff9a::808:808', '::fffe:808:808', '::1:ffff:808:808', '100::1',
  '100:0:0:1::1', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:1::1', '2001:2::1', '2001:3::1',
  '2001:4:112::1', '2001:10::1', '2001:20::1', '2001:30::1', '2002:7f00:1::', '2002:808:808::1', '5f00::1', 'fc00::1',
  'fd00:ec2::254', 'fd20:ce::254', 'fe80::1', 'febf::1', 'fec0::1', 'ff02::1', 'ff0e::1'
]

const unremarkable = [
  '8.8.8.8', '1.1.1.1', '93.184.216.34', '172.15.0.1', '192.0.1.1', '223.1.1.1',
  '2606:4700:4700::1111', '2001:4860:4860::8888', '2A00:1450:4001:0800:0000:0000:0000:200e', '2620:fe::fe', '2400:cb00::1', '3000::1'
]

const noAddress = [
  '', ' ', 'localhost', 'example.com', '8.8.8', '8.8.8.8.', '8.8.8.8 ', ' 8.8.8.8', '8.8.8.8/32', '8.8.8.8:80',
  '08.8.8.8', '010.8.8.8', '0x8.8.8.8', '134744072', '256.8.8.8', '8.8.8.8.8', '[2606:4700::1]', '[8.8.8.8]',
  '2606:4700::1%eth0', '2606:4700::1%', 'fe80::1%1', '::ffff:8.8.8.8%lo', '2606:4700:::1', '2606:4700',
  '::ffff:8.8.8', '８.8.8.8', '8.8.8.8\0'
]

t.test('the first and last IP address of every special range, and their neighbours, are classified correctly', async t => {
  for (const [before, first, last, after] of ranges) {
    for (const outside of [before, after]) if (outside) t.equal(isPublicIp(outside), true, outside)
    for (const inside of [first, last]) t.equal(isPublicIp(inside), false, inside)
  }
})

t.test('IP addresses within special ranges, metadata services included, are special; common ones outside are public', async t => {
  for (const address of special) t.equal(isPublicIp(address), false, address)
  for (const address of unremarkable) t.equal(isPublicIp(address), true, address)
})

t.test('IPv4-mapped and NAT64 addresses are classified by the embedded IPv4 address', async t => {
  const ipv4 = ranges.filter(([, first]) => !first.includes(':'))
  for (const prefix of ['::ffff:', '::FFFF:', '0:0:0:0:0:ffff:', '64:ff9b::', '0064:FF9B:0:0:0:0:']) {
    for (const [before, first, last, after] of ipv4) {
      for (const outside of [before, after]) if (outside) t.equal(isPublicIp(prefix + outside), true, prefix + outside)
      for (const inside of [first, last]) t.equal(isPublicIp(prefix + inside), false, prefix + inside)
    }
  }
  for (const address of ['::ffff:7f00:1', '::ffff:a9fe:a9fe', '64:ff9b::7f00:1', '64:ff9b::a83f:8110']) t.equal(isPublicIp(address), false, address)
  for (const address of ['::ffff:808:808', '64:ff9b::808:808']) t.equal(isPublicIp(address), true, address)
})

t.test('a string that is not a canonical IP address is not public', async t => {
  for (const text of noAddress) t.equal(isPublicIp(text), false, JSON.stringify(text))
})

t.test('a URL\'s host may be public unless it is a special IP address or localhost', async t => {
  for (const host of [
    '127.0.0.1', '[::1]', '::1', '[::ffff:127.0.0.1]', '[fe80::1]', 'localhost', 'localhost.', 'LOCALHOST',
    'a.localhost', 'a.b.localhost.'
  ]) {
    t.equal(mayBePublicHost(host), false, host)
  }
  for (const host of [
    '8.8.8.8', '[2606:4700::1]', '2606:4700::1', 'example.com', 'localhost.example.com', 'notlocalhost',
    'localhost.localdomain', 'a-localhost'
  ]) {
    t.equal(mayBePublicHost(host), true, host)
  }
})
