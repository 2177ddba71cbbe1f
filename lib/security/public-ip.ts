import { BlockList, isIPv4, isIPv6 } from 'node:net'

/**
 * The IANA IPv4 Special-Purpose Address Registry, including the globally reachable entries (they serve no files), the
 * ranges of RFC 1112 and RFC 5771, and the one metadata address of a cloud that lies outside of all these.
 */
const SPECIAL_IPV4 = [
  '0.0.0.0/8', // this host on this network: RFC 791, RFC 1122
  '10.0.0.0/8', // private: RFC 1918
  '100.64.0.0/10', // carrier-grade NAT: RFC 6598
  '127.0.0.0/8', // loopback: RFC 1122
  '168.63.129.16/32', // Azure: "What is IP address 168.63.129.16?"
  '169.254.0.0/16', // link-local, including the metadata services of most clouds: RFC 3927
  '172.16.0.0/12', // private: RFC 1918
  '192.0.0.0/24', // protocol assignments: RFC 6890
  '192.0.2.0/24', // documentation: RFC 5737
  '192.31.196.0/24', // AS112: RFC 7535
  '192.52.193.0/24', // AMT: RFC 7450
  '192.88.99.0/24', // 6to4 relays: RFC 7526
  '192.168.0.0/16', // private: RFC 1918
  '192.175.48.0/24', // AS112: RFC 7534
  '198.18.0.0/15', // benchmarks: RFC 2544
  '198.51.100.0/24', // documentation: RFC 5737
  '203.0.113.0/24', // documentation: RFC 5737
  '224.0.0.0/4', // multicast: RFC 5771
  '240.0.0.0/4' // reserved, and broadcast: RFC 1112, RFC 8190
]

/** IANA IPv6 Global Unicast Address Assignments: all public IPv6 addresses. */
const GLOBAL_UNICAST = '2000::/3'

/**
 * Special-purpose parts of that range in the IANA IPv6 Special-Purpose Address Registry, and one that was returned to
 * IANA.
 */
const SPECIAL_IPV6 = [
  '2001::/23', // protocol assignments, Teredo and ORCHID among them: RFC 2928
  '2001:db8::/32', // documentation: RFC 3849
  '2002::/16', // 6to4, which contains any IPv4 address: RFC 3056
  '2620:4f:8000::/48', // AS112: RFC 7534
  '3ffe::/16', // the former 6bone: RFC 3701
  '3fff::/20' // documentation: RFC 9637
]

/**
 * Prefixes of IPv6 addresses that lead to an IPv4 address: IPv4-mapped (RFC 4291), and the well-known prefix of NAT64
 * (RFC 6052).
 */
const IPV4_PREFIXES = ['::ffff:', '64:ff9b::']

const specialIpv4 = blockList(SPECIAL_IPV4)
const specialIpv6 = blockList([
  ...SPECIAL_IPV6,
  ...IPV4_PREFIXES.flatMap(prefix => SPECIAL_IPV4.map(range => embedded(prefix, range)))
])
const allowedIpv6 = blockList([GLOBAL_UNICAST, ...IPV4_PREFIXES.map(prefix => embedded(prefix, '0.0.0.0/0'))])

/**
 * Whether an IP address is public. `false` for all special-purpose ranges, for the metadata services of clouds, and for
 * strings that `node:net` does not accept as an IP address: host names, brackets, numbers. Also `false` for addresses
 * with a zone, which are link-local. A network's own NAT64 prefix cannot be recognized: its addresses look public.
 */
export function isPublicIp (ip: string): boolean {
  if (isIPv4(ip)) return !specialIpv4.check(ip, 'ipv4')
  return isIPv6(ip) && !ip.includes('%') && allowedIpv6.check(ip, 'ipv6') && !specialIpv6.check(ip, 'ipv6')
}

/**
 * Whether the host of a URL may be public. `false` for an IP address that is not public, for `localhost` and for names
 * below it (RFC 6761). Any other host name has to be resolved to find out.
 */
export function mayBePublicHost (hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIPv4(host) || isIPv6(host)) return isPublicIp(host)
  return !/(?:^|\.)localhost\.?$/i.test(host)
}

function embedded (prefix: string, range: string): string {
  const [network, bits] = range.split('/')
  return `${prefix}${network}/${96 + Number(bits)}`
}

function blockList (ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', bits] = range.split('/')
    list.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6')
  }
  return list
}
