import { createHash, createHmac } from 'node:crypto'
import http from 'node:http'
import type { Test } from 'tap'
import { crc32 } from 'node:zlib'
import { listen } from '../kit/http.js'

/** One request, as it arrived. */
export interface MemoryS3Request {
  readonly method: string
  /** With its query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Without the bucket. */
  readonly key: string
}

/**
 * What the store answers instead, or with its answer; `reset`: nothing, and it does nothing; `lost`: nothing, but it
 * does it.
 */
export type MemoryS3Fault = { readonly status?: number, readonly code?: string, readonly headers?: Record<string, string> } | 'reset' | 'lost'

export interface MemoryS3 {
  readonly port: number
  readonly endpoint: string
  readonly requests: MemoryS3Request[]
  /** By access key. */
  readonly secrets: Map<string, string>
  onRequest: (request: MemoryS3Request) => MemoryS3Fault | undefined
}

export const BUCKET = 'documents'

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

/**
 * An object store in memory with conditional writes. It verifies signatures, hashes and checksums by itself, so that
 * what it accepts is what any store accepts. Lists nothing.
 */
export async function memoryS3 (t: Test): Promise<MemoryS3> {
  const objects = new Map<string, { readonly bytes: Buffer, readonly etag: string }>()
  const store = { requests: [] as MemoryS3Request[], secrets: new Map<string, string>(), onRequest: () => undefined as MemoryS3Fault | undefined }
  const { port } = await listen(t, http.createServer((incoming, response) => { serve(incoming, response).catch(() => incoming.socket.destroy()) }))
  return Object.assign(store, { port, endpoint: `http://127.0.0.1:${port}` }) as MemoryS3

  async function serve (incoming: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { method = '', url = '' } = incoming
    const headers = incoming.headers as Record<string, string>
    const body = Buffer.concat(await incoming.toArray())
    const [path = ''] = url.split('?')
    const key = decodeURIComponent(headers.host!.startsWith(`${BUCKET}.`) ? path.slice(1) : path.slice(path.indexOf(`/${BUCKET}/`) + BUCKET.length + 2))
    const request = { method, url, headers, body, key }
    store.requests.push(request)
    const fault = (store.onRequest as MemoryS3['onRequest'])(request)
    if (fault === 'reset') {
      incoming.socket.destroy()
      return
    }
    const refused = why(request)
    const [status, bytes = Buffer.alloc(0), own = {}] = refused
      ? [403, error(refused)] as const
      : typeof fault === 'object' && fault.status !== undefined ? [fault.status, error(fault.code ?? 'InternalError')] as const : done(request)
    if (fault === 'lost') incoming.socket.destroy()
    else {
      response.writeHead(status, {
        'content-length': bytes.length,
        ...own,
        ...(typeof fault === 'object' && fault.headers)
      }).end(status === 204 ? undefined : bytes)
    }
  }

  function done ({ method, url, headers, body, key }: MemoryS3Request): readonly [number, Buffer?, Record<string, string>?] {
    if (/[?&](list-type|uploads)/.test(url)) return [200, Buffer.from('<Result></Result>')]
    const found = objects.get(key)
    if (method === 'GET') return found ? [200, found.bytes, { etag: `"${found.etag}"`, 'last-modified': new Date(0).toUTCString() }] : [404, error('NoSuchKey')]
    if (method === 'DELETE') return objects.delete(key) ? [204] : [404, error('NoSuchKey')]
    const { 'if-match': match, 'if-none-match': none } = headers
    if ((none !== undefined && found) || (match !== undefined && match !== found?.etag)) return [412, error('PreconditionFailed')]
    const etag = createHash('md5').update(body).digest('hex')
    objects.set(key, { bytes: body, etag })
    return [200, Buffer.alloc(0), { etag: `"${etag}"` }]
  }

  /** Why a request is refused. */
  function why ({ method, url, headers, body }: MemoryS3Request): string | undefined {
    const [path = '', query = ''] = url.split('?')
    const parameters = new URLSearchParams(query)
    const isPresigned = parameters.has('X-Amz-Signature')
    const [, credential = '', names = '', signature = ''] = isPresigned
      ? ['', ...['Credential', 'SignedHeaders', 'Signature'].map(name => parameters.get(`X-Amz-${name}`) ?? '')]
      : /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(headers.authorization ?? '') ?? []
    const [accessKey = '', ...scope] = credential.split('/')
    const secret = store.secrets.get(accessKey)
    if (secret === undefined) return 'ExpiredToken'
    const hash = isPresigned ? 'UNSIGNED-PAYLOAD' : headers['x-amz-content-sha256']
    if (!isPresigned && hash !== sha256(body)) return 'XAmzContentSHA256Mismatch'
    const unsigned = Object.keys(headers).filter(name => /^(x-amz-|host$|if-|content-type$)/.test(name) && !names.split(';').includes(name))
    if (unsigned.length > 0) return 'AccessDenied'
    const crc = Buffer.alloc(4)
    crc.writeUInt32BE(crc32(body))
    if (![undefined, crc.toString('base64')].includes(headers['x-amz-checksum-crc32'])) return 'BadDigest'
    const pairs = query.split('&').filter(pair => !pair.startsWith('X-Amz-Signature=')).sort().join('&')
    const canonical = [method, path, pairs, ...names.split(';').map(name => `${name}:${headers[name]}`), '', names, hash].join('\n')
    const time = isPresigned ? parameters.get('X-Amz-Date') : headers['x-amz-date']
    const signed = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n')
    return hmac(scope.reduce<string | Buffer>(hmac, `AWS4${secret}`) as Buffer, signed).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch'
  }
}

function error (code: string): Buffer {
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`)
}
