import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

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
