import { BlockList, isIPv4, isIPv6 } from 'node:net'

/**
 * IANA IPv4 Special-Purpose Address Registry, those that are reachable from everywhere included (nobody keeps a file
 * there), with what RFC 1112 and RFC 5771 set apart and the one metadata address outside of them.
 */
const SPECIAL_IPV4 = [
  '0.0.0.0/8', // this host on this network: RFC 791, RFC 1122
  '10.0.0.0/8', // private: RFC 1918
  '100.64.0.0/10', // shared by a carrier's customers: RFC 6598
  '127.0.0.0/8', // loopback: RFC 1122
  '168.63.129.16/32', // Azure: "What is IP address 168.63.129.16?"
  '169.254.0.0/16', // link-local, with the metadata of most clouds: RFC 3927
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

/** IANA IPv6 Global Unicast Address Assignments: all there is in public use. */
const GLOBAL_UNICAST = '2000::/3'

/** The parts of it in the IANA IPv6 Special-Purpose Address Registry, and one that was given back. */
const SPECIAL_IPV6 = [
  '2001::/23', // protocol assignments, Teredo and ORCHID among them: RFC 2928
  '2001:db8::/32', // documentation: RFC 3849
  '2002::/16', // 6to4, with any IPv4 address in it: RFC 3056
  '2620:4f:8000::/48', // AS112: RFC 7534
  '3ffe::/16', // the former 6bone: RFC 3701
  '3fff::/20' // documentation: RFC 9637
]

/** Before an IPv4 address: what reaches it. IPv4-mapped (RFC 4291) and the well-known prefix of NAT64 (RFC 6052). */
const PREFIXES_OF_IPV4 = ['::ffff:', '64:ff9b::']

const specialIpv4 = blockList(SPECIAL_IPV4)
const specialIpv6 = blockList([...SPECIAL_IPV6, ...PREFIXES_OF_IPV4.flatMap(prefix => SPECIAL_IPV4.map(range => embedded(prefix, range)))])
const allowedIpv6 = blockList([GLOBAL_UNICAST, ...PREFIXES_OF_IPV4.map(prefix => embedded(prefix, '0.0.0.0/0'))])

/**
 * Whether an IP address is one of the public Internet. `false` for all that the IANA registries set apart for a special
 * purpose, for metadata services of clouds, and for what is no IP address as `node:net` reads it: a name, brackets, an
 * address with a zone (it is local to a link), a number. Of IPv6 only what is known to be public is. A network's own
 * NAT64 prefix cannot be told from other public addresses.
 */
export function isPublicAddress (ip: string): boolean {
  if (isIPv4(ip)) return !specialIpv4.check(ip, 'ipv4')
  return isIPv6(ip) && !ip.includes('%') && allowedIpv6.check(ip, 'ipv6') && !specialIpv6.check(ip, 'ipv6')
}

/**
 * Whether the host of a URL may turn out to be public: `false` for a literal address that is not, and for `localhost` and
 * the names below it (RFC 6761). Of any other name the addresses have to be looked at.
 */
export function mayBePublic (hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIPv4(host) || isIPv6(host)) return isPublicAddress(host)
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
