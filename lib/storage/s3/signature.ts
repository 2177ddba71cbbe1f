import { createHmac, hash } from 'node:crypto'
import { crc32 } from 'node:zlib'

// Signature Version 4 of AWS, for S3:
// https://docs.aws.amazon.com/AmazonS3/latest/developerguide/sig-v4-authenticating-requests.html

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

/** The parts of a request that are signed. */
interface Signable {
  readonly method: string
  /** The encoded path. */
  readonly path: string
  /** The result of `queryText`. */
  readonly query: string
  /** Names in lower case, values without needless spaces. */
  readonly headers: Readonly<Record<string, string>>
  readonly payloadHash: string
}

interface Signature {
  /** `<access key>/<date>/<region>/<service>/aws4_request`. */
  readonly credential: string
  /** The names of the signed headers. */
  readonly signedHeaders: string
  readonly signature: string
}

export interface Signer {
  readonly credentialOf: (credentials: Credentials, time: string) => string
  /** Signs all headers for which `isSigned` returns `true`. `time`: a result of `timestamp`. */
  sign (request: Signable, credentials: Credentials, time: string, isSigned?: (name: string) => boolean): Signature
}

const ALGORITHM = 'AWS4-HMAC-SHA256'
const NO_KEY: Buffer = Buffer.alloc(0)
const TERMINATOR = 'aws4_request'

export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD'

/** Keeps the derived key, which stays the same for one day and one secret. */
export function createSigner (region: string, service: string): Signer {
  let derived = { secret: '', day: '', key: NO_KEY }

  function keyOf (secret: string, day: string): Buffer {
    if (derived.secret !== secret || derived.day !== day) {
      derived = {
        secret,
        day,
        key: [day, region, service, TERMINATOR].reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`))
      }
    }
    return derived.key
  }

  const scopeAt = (time: string) => `${dayOf(time)}/${region}/${service}/${TERMINATOR}`
  const credentialOf: Signer['credentialOf'] = ({ accessKeyId }, time) => `${accessKeyId}/${scopeAt(time)}`
  return {
    credentialOf,

    sign ({ method, path, query, headers, payloadHash }, credentials, time, isSigned = () => true) {
      const names = Object.keys(headers).filter(isSigned).sort()
      const signedHeaders = names.join(';')
      let lines = ''
      for (const name of names) lines += `${name}:${headers[name]}\n`
      const canonical = `${method}\n${path}\n${query}\n${lines}\n${signedHeaders}\n${payloadHash}`
      const text = `${ALGORITHM}\n${time}\n${scopeAt(time)}\n${hash('sha256', canonical)}`
      const signature = hmac(keyOf(credentials.secretAccessKey, dayOf(time)), text).toString('hex')
      return { credential: credentialOf(credentials, time), signedHeaders, signature }
    }
  }
}

export function authorization ({ credential, signedHeaders, signature }: Signature): string {
  return `${ALGORITHM} Credential=${credential}, SignedHeaders=${signedHeaders}, Signature=${signature}`
}

/** Region, service and signed header names in such a header; `undefined` for any other header. */
export function authorized (header = '') {
  const [, region, service, names] =
    /^AWS4-HMAC-SHA256 Credential=[^ ]+\/\d{8}\/([^/ ]+)\/([^/ ]+)\/aws4_request, SignedHeaders=([^ ,]+), /.exec(
      header
    ) ?? []
  return region && service && names ? { region, service, signed: new Set(names.split(';')) } : undefined
}

/** The query of a presigned URL for GET. Only the host header is signed. `seconds`: how long the URL is valid. */
export function presignedQuery (
  { credentialOf, sign }: Signer,
  { path, host, query }: {
    readonly path: string,
    readonly host: string,
    readonly query: Readonly<Record<string, string>>
  },
  credentials: Credentials,
  time: string,
  seconds: number
): string {
  const text = queryText({
    ...query,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Content-Sha256': UNSIGNED_PAYLOAD,
    'X-Amz-Credential': credentialOf(credentials, time),
    'X-Amz-Date': time,
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': 'host',
    ...(credentials.sessionToken !== undefined && { 'X-Amz-Security-Token': credentials.sessionToken })
  })
  return `${text}&X-Amz-Signature=${sign({ method: 'GET', path, query: text, headers: { host }, payloadHash: UNSIGNED_PAYLOAD }, credentials, time).signature}`
}

export function queryText (query: Readonly<Record<string, string>>): string {
  return Object.keys(query).sort().map(name => `${encodedPart(name)}=${encodedPart(query[name]!)}`).join('&')
}

/** Encodes a part of a path or query. */
export function encodedPart (text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )
}

export function sha256 (bytes: Uint8Array): string {
  return hash('sha256', bytes)
}

/** A time such as 20260131T235959Z. */
export function timestamp (milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/[-:]|\.\d{3}/g, '')
}

function dayOf (time: string): string {
  return time.slice(0, 8)
}

function hmac (key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** Compares the CRC-32 of all bytes passed to `add` with the announced one, if any. */
export function createChecksum (announced: string | undefined) {
  let value = 0
  return {
    add (bytes: Uint8Array): void {
      if (announced !== undefined) value = crc32(bytes, value)
    },
    isRight: () => announced === undefined || announced === textOf(value)
  }
}

export function checksumOf (bytes: Uint8Array): string {
  return textOf(crc32(bytes))
}

/** The base64 text of a checksum in headers. */
function textOf (value: number): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes.toString('base64')
}
