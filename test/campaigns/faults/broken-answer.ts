import net from 'node:net'
import type { Test } from 'tap'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { listen } from '../../kit/http.js'
import type { Random } from '../random.js'

const encodings = { identity: (bytes: Buffer) => bytes, gzip: gzipSync, deflate: deflateSync, br: quickly }

function quickly (bytes: Buffer): Buffer {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
}

/** What an HTTP server puts on the wire, and how it ends the connection. */
export interface RawAnswer {
  /** For failure messages. */
  readonly what: string
  readonly bytes: Buffer
  readonly ending: 'closed' | 'reset' | 'kept open'
}

/** Changes what is encoded. */
const damages: Record<string, (encoded: Buffer, random: Random) => Buffer> = {
  'nothing at all': () => Buffer.alloc(0),
  'a part': (encoded, random) => encoded.subarray(0, random.integer(encoded.length)),
  'other bytes': encoded => Buffer.alloc(encoded.length, 'not encoded '),
  'one byte wrong': (encoded, random) => {
    const at = random.integer(encoded.length)
    return Buffer.concat([encoded.subarray(0, at), Buffer.from([encoded[at]! ^ 0xff]), encoded.subarray(at + 1)])
  },
  'all, and something after it': (encoded, random) => Buffer.concat([encoded, Buffer.alloc(1 + random.integer(100_000), 'garbage ')]),
  all: encoded => encoded
}

/** An answer with this content that is damaged, encoded wrongly, cut or reset. */
export function brokenAnswer (content: Buffer, random: Random): RawAnswer {
  const encoding = random.one(Object.keys(encodings) as Array<keyof typeof encodings>)
  // Nobody can tell what is wrong with bytes that are as many as announced, unless their encoding has a checksum.
  const detectable = Object.keys(damages).filter(damage => damage !== 'one byte wrong' || encoding !== 'br')
  const damage = encoding === 'identity' ? 'all' : random.one(detectable)
  const body = damages[damage]!(encodings[encoding](content), random)
  const isChunked = random.chance(0.3)
  const name = encoding === 'br' && random.chance(0.1) ? 'zstd' : encoding
  const lines = ['HTTP/1.1 200 OK', 'Content-Type: application/octet-stream', `Content-Encoding: ${name}`, 'Connection: close',
    isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`]
  const head = Buffer.from(lines.join('\r\n') + '\r\n\r\n')
  const whole = Buffer.concat([head, ...isChunked ? chunked(body) : [body]])

  const isCut = encoding === 'identity' || damage === 'all' || random.chance(0.3)
  // Most cuts are meant to be in the body.
  const from = random.chance(0.8) ? head.length : 0
  const at = isCut ? from + random.integer(whole.length - from) : whole.length
  const ending = random.one(['closed', 'reset'] as const)
  return { what: `${damage} of ${content.length} bytes in ${name}${isChunked ? ', chunked' : ''}, ${at} of ${whole.length} bytes sent, then ${ending}`, bytes: whole.subarray(0, at), ending }
}

function chunked (body: Buffer): Buffer[] {
  const chunks = body.length === 0 ? [] : [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]
  return [...chunks, Buffer.from('0\r\n\r\n')]
}

export function wholeAnswer (content: Buffer | string): RawAnswer {
  const body = Buffer.from(content)
  return {
    what: 'whole',
    bytes: Buffer.concat([
      Buffer.from(`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`), body
    ]),
    ending: 'closed'
  }
}

/** A server without any HTTP library, whose answer depends on the request, body included. Resolves to its origin. */
export async function startAnswering (t: Test, answerTo: (request: string) => RawAnswer): Promise<string> {
  const { origin } = await listen(t, net.createServer(socket => {
    let request = ''
    socket.on('data', data => {
      request += data.toString('latin1')
      const [head, body] = request.split('\r\n\r\n', 2) as [string, string?]
      if (body === undefined || body.length < Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)) return
      const { bytes, ending } = answerTo(request)
      request = ''
      socket.write(bytes, () => {
        if (ending === 'closed') socket.end()
        else if (ending === 'reset') socket.resetAndDestroy()
      })
    })
  }))
  return origin
}
