import dgram from 'node:dgram'
import { promises as dns } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { Test } from 'tap'

const A = 1
const AAAA = 28

/** IPv4 and IPv6 addresses of a name, the `look`th time it is asked for, counted from 1. */
export type Zone = Record<string, (look: number) => readonly string[]>

export interface NameServer {
  /** Asks the server for both kinds of addresses: nothing else is asked, no hosts file and no cache. */
  readonly lookup: LookupFunction
  /** The names that `lookup` was asked for. */
  readonly looks: string[]
}

/** A DNS server on loopback, until the test ends. It knows the names of its zone and no others. */
export async function startNameServer (t: Test, zone: Zone): Promise<NameServer> {
  const looks: string[] = []
  const lookOf = (name: string) => looks.filter(look => look === name).length
  const socket = dgram.createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const question = readQuestion(query)
    const addresses = zone[question.name]?.(lookOf(question.name))
    socket.send(answerTo(query, question, addresses), port, address)
  })
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve))
  const resolver = new dns.Resolver({ tries: 1 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  t.teardown(() => {
    resolver.cancel()
    socket.close()
  })

  async function addressesOf (name: string): Promise<string[]> {
    const answers = await Promise.all([resolver.resolve4(name).catch(emptyWhenNone), resolver.resolve6(name).catch(emptyWhenNone)])
    return answers.flat()
  }

  return {
    looks,
    lookup (name, { all = false }, callback) {
      looks.push(name)
      addressesOf(name).then(addresses => {
        const found = addresses.map(address => ({ address, family: isIP(address) }))
        if (all) callback(null, found)
        else callback(null, found[0]!.address, found[0]!.family)
      }, (error: Error) => callback(error, []))
    }
  }
}

function emptyWhenNone (error: NodeJS.ErrnoException): string[] {
  if (error.code !== 'ENODATA') throw error
  return []
}

interface Question {
  readonly name: string
  readonly type: number
  /** Where it ends in the message. */
  readonly end: number
}

/** RFC 1035, section 4.1.2. */
function readQuestion (query: Buffer): Question {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** RFC 1035, section 4.1.1 and 4.1.3. Each record points to the question for its name and may not be kept. */
function answerTo (query: Buffer, { type, end }: Question, addresses: readonly string[] | undefined): Buffer {
  const family = new Map([[A, 4], [AAAA, 6]]).get(type)
  const records = (addresses ?? []).filter(address => isIP(address) === family).map(address => {
    const data = bytesOf(address)
    const head = Buffer.from('c00c00000001000000000000', 'hex')
    head.writeUInt16BE(type, 2)
    head.writeUInt16BE(data.length, 10)
    return Buffer.concat([head, data])
  })
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(addresses ? 0x8180 : 0x8183, 2) // an answer, or: no such name
  header.writeUInt16BE(records.length, 6)
  header.writeUInt32BE(0, 8)
  return Buffer.concat([header, query.subarray(12, end), ...records])
}

function bytesOf (address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const [left = [], right = []] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::').map(half => half.split(':').filter(Boolean))
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
  return Buffer.from(groups.map(group => group.padStart(4, '0')).join(''), 'hex')
}
