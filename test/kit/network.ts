// What is below HTTP: certificates, a DNS server, and a process that cannot connect to anything outside.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import dgram from 'node:dgram'
import dns from 'node:dns'
import net, { isIP, type LookupFunction } from 'node:net'
import type { Test } from 'tap'

export interface Certificate {
  /** PEM. */
  readonly cert: string
  /** PEM. */
  readonly key: string
}

export interface CertificateOptions {
  /** DNS names and IPv4 addresses it is valid for. Default: `127.0.0.1`. */
  readonly names?: readonly string[]
  readonly expired?: boolean
  /** Who signs it. Default: itself. */
  readonly issuer?: Authority
}

export interface Authority extends Certificate {
  readonly name: string
  readonly privateKey: KeyObject
}

const OID = {
  commonName: '0603550403',
  ecdsaWithSha256: '06082a8648ce3d040302',
  subjectAltName: '0603551d11',
  basicConstraints: '0603551d13'
}
const TRUE = Buffer.from('0101ff', 'hex')
const DAY = 24 * 60 * 60 * 1000

/** A certificate authority, to be given as `tls.ca`. */
export function createAuthority (name = 'Test authority'): Authority {
  return issue(name, [extension(OID.basicConstraints, sequence(TRUE), TRUE)], {})
}

/** A server's certificate, made without any tool so that the tests run anywhere. */
export function createCertificate ({ names = ['127.0.0.1'], ...options }: CertificateOptions = {}): Certificate {
  const alternatives = names.map(name => /^[\d.]+$/.test(name)
    ? tlv(0x87, Buffer.from(name.split('.').map(Number)))
    : tlv(0x82, Buffer.from(name)))
  return issue(names[0]!, [extension(OID.subjectAltName, sequence(...alternatives))], options)
}

function issue (name: string, extensions: Buffer[], { expired = false, issuer }: Pick<CertificateOptions, 'expired' | 'issuer'>): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const now = Date.now()
  const algorithm = sequence(hex(OID.ecdsaWithSha256))
  const tbs = sequence(
    tlv(0xa0, hex('020102')), // version 3
    tlv(0x02, Buffer.concat([Buffer.from([0x01]), randomBytes(8)])),
    algorithm,
    distinguishedName(issuer?.name ?? name),
    sequence(time(now - 10 * DAY), time(expired ? now - DAY : now + DAY)),
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...extensions))
  )
  const signature = sign('sha256', tbs, issuer?.privateKey ?? privateKey)
  const der = sequence(tbs, algorithm, tlv(0x03, Buffer.from([0]), signature))
  const cert = `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()}\n-----END CERTIFICATE-----\n`
  return { name, privateKey, cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string }
}

function distinguishedName (name: string): Buffer {
  return sequence(tlv(0x31, sequence(hex(OID.commonName), tlv(0x0c, Buffer.from(name)))))
}

function extension (oid: string, value: Buffer, critical = Buffer.alloc(0)): Buffer {
  return sequence(hex(oid), critical, tlv(0x04, value))
}

function time (milliseconds: number): Buffer {
  return tlv(0x18, Buffer.from(new Date(milliseconds).toISOString().replace(/[-:T]|\.\d+/g, '')))
}

function sequence (...parts: Buffer[]): Buffer {
  return tlv(0x30, ...parts)
}

/** DER: a tag, the length, the value. */
function tlv (tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts)
  const { length } = value
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), value])
}

function hex (text: string): Buffer {
  return Buffer.from(text, 'hex')
}

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
  const resolver = new dns.promises.Resolver({ tries: 1 })
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

interface ConnectOptions {
  readonly host?: string
  readonly port?: number
  readonly path?: string
  readonly lookup?: LookupFunction
}

/**
 * Until the test ends no connection of this process leaves loopback: another address refuses it. Returns the list in
 * which every address is noted that a connection was begun to, as `address:port`. A name is resolved as it would have
 * been.
 */
export function noWayOut (t: Test): string[] {
  const begun: string[] = []
  const connect = net.Socket.prototype.connect
  t.teardown(() => { net.Socket.prototype.connect = connect })

  net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]): net.Socket {
    const [first, second] = Array.isArray(args[0]) ? args[0] : args // an array when `net.connect` calls it
    const options: ConnectOptions = typeof first === 'object' ? first : { port: Number(first), host: typeof second === 'string' ? second : 'localhost' }
    const listener = args.concat(args[0]).find(value => typeof value === 'function') ?? second
    const { host = 'localhost', port, path, lookup = dns.lookup } = options
    const proceed = (changed: object) => Reflect.apply(connect, this, [{ ...options, ...changed }, ...(typeof listener === 'function' ? [listener] : [])])
    if (path) return proceed({})
    if (net.isIP(host) === 0) return proceed({ lookup: loopbackOnly(lookup, address => begun.push(`${address}:${port}`)) })
    begun.push(`${host}:${port}`)
    if (isLoopback(host)) return proceed({})
    this.destroy(refused())
    return this
  } as typeof connect
  return begun
}

function loopbackOnly (lookup: LookupFunction, note: (address: string) => void): LookupFunction {
  return (hostname, options, callback) => lookup(hostname, options, (error, answer, family) => {
    if (error) return callback(error, answer, family)
    const addresses = typeof answer === 'string' ? [answer] : answer.map(({ address }) => address)
    addresses.forEach(note)
    if (addresses.every(isLoopback)) callback(null, answer, family)
    else callback(refused(), [])
  })
}

function isLoopback (address: string): boolean {
  return /^(?:127\.|::1$|::ffff:127\.)/.test(address)
}

function refused (): Error {
  return Object.assign(new Error('no way out'), { code: 'ECONNREFUSED' })
}
