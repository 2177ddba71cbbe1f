import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import {
  assertBodyFails, assertRejects, bytesOf, type ConformanceCase, type ConformanceContext, inTime, send
} from './case.js'

const CONTENT = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7 + (index >> 8)) % 251))

const encodings: ReadonlyArray<readonly [name: string, encode: (bytes: Buffer) => Buffer]> = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync]
]

export const bodyCases: readonly ConformanceCase[] = [
  {
    name: 'the body is a Readable of exactly the bytes sent, with Content-Length and chunked',
    async run ({ client, serve }) {
      const server = await serve((request, response) => {
        if (request.url === '/length') response.setHeader('content-length', CONTENT.length)
        else response.flushHeaders()
        response.end(CONTENT)
      })
      const withLength = await send(client, server.url('/length'))
      assert.ok(withLength.body instanceof Readable, 'the body must be a Readable of node:stream')
      assert.equal(
        withLength.header('content-length'),
        String(CONTENT.length),
        'header() must return the Content-Length'
      )
      assert.ok(
        (await bytesOf(withLength.body)).equals(CONTENT),
        'a body with Content-Length must be exactly the bytes sent'
      )

      const chunked = await send(client, server.url('/chunked'))
      assert.equal(
        chunked.header('content-length'),
        undefined,
        'header() must return undefined: a chunked response has no Content-Length'
      )
      assert.ok((await bytesOf(chunked.body)).equals(CONTENT), 'a chunked body must be exactly the bytes sent')
    }
  },
  {
    name: 'the body is delivered as it arrives, before it is complete',
    async run ({ client, serve }) {
      let finish = () => {}
      const server = await serve((_request, response) => {
        response.write('first')
        finish = () => response.end(' last')
      })
      const { body } = await send(client, server.url())
      const [first] = await inTime(once(body, 'data'), 'the first chunk of the body')
      assert.equal(String(first), 'first', 'the first chunk must be delivered before the last is sent')
      finish()
      assert.equal((await bytesOf(body)).toString(), ' last', 'the rest must follow')
    }
  },
  {
    name:
      'an encoded body is decoded, also if the encoding was not requested, and header() hides Content-Encoding and Content-Length',
    async run ({ client, serve }) {
      for (const [encoding, encode] of encodings) {
        const encoded = encode(CONTENT)
        const server = await serve((_request, response) => {
          response.writeHead(200, {
            'content-encoding': encoding,
            'content-length': encoded.length,
            'content-type': 'text/plain'
          }).end(encoded)
        })
        const { header, body } = await send(client, server.url(), { headers: { 'accept-encoding': 'identity' } })
        for (const name of ['content-encoding', 'Content-Encoding', 'content-length', 'Content-Length']) {
          assert.equal(
            header(name),
            undefined,
            `header('${name}') must return undefined: the body was decoded (${encoding})`
          )
        }
        assert.equal(header('content-type'), 'text/plain', 'header() must return the other headers')
        assert.ok((await bytesOf(body)).equals(CONTENT), `the body must be decoded (${encoding})`)
      }
    }
  },
  {
    name: 'the body fails if it ends before its Content-Length',
    async run ({ client, serveBytes }) {
      for (const sent of [0, 1, 50, 99]) {
        const server = await serveBytes(`HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n${'x'.repeat(sent)}`)
        const { body } = await send(client, server.url())
        await assertBodyFails(body, `truncated: ${sent} of 100 bytes were sent`)
      }
    }
  },
  {
    name: 'a chunked body fails if it ends before its last chunk',
    async run ({ client, serveBytes }) {
      const broken = ['', '5\r\n', '5\r\nhel', '5\r\nhello\r\n', '5\r\nhello\r\n0\r\n', '5\r\nhello\r\nnonsense\r\n']
      for (const chunks of broken) {
        const server = await serveBytes(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`)
        const { body } = await send(client, server.url())
        await assertBodyFails(body, `truncated or malformed: ${JSON.stringify(chunks)} was sent`)
      }
    }
  },
  {
    name: 'an encoded body fails if it is truncated or not encoded as its Content-Encoding says',
    async run ({ client, serve }) {
      for (const [encoding, encode] of encodings) {
        const encoded = encode(CONTENT)
        for (const bytes of [encoded.subarray(0, encoded.length - 10), Buffer.from('not encoded at all')]) {
          const server = await serve((_request, response) => {
            response.writeHead(200, { 'content-encoding': encoding, 'content-length': bytes.length }).end(bytes)
          })
          const { body } = await send(client, server.url())
          await assertBodyFails(body, `${bytes.length} bytes were sent that are not complete ${encoding}`)
        }
      }
    }
  }
]

export const abortingCases: readonly ConformanceCase[] = [
  {
    name: 'with an aborted signal, request rejects and sends nothing',
    async run ({ client, serve }) {
      const server = await serve((_request, response) => {
        response.end()
      })
      await assertRejects(
        send(client, server.url(), { signal: AbortSignal.abort(new Error('aborted before the request')) }),
        'the signal is aborted'
      )
      assert.deepEqual(server.requests, [], 'the server must not receive a request')
    }
  },
  {
    name: 'aborting before the headers arrive makes request reject and closes its connection',
    async run ({ client, serve }) {
      let onRequest = () => {}
      const requestReceived = new Promise<void>(resolve => { onRequest = resolve })
      const server = await serve(() => onRequest())
      const controller = new AbortController()
      const response = client.request({
        purpose: 'callback',
        method: 'GET',
        url: server.url(),
        signal: controller.signal
      })
      response.catch(() => {}) // asserted below
      await inTime(requestReceived, 'the arrival of the request')
      controller.abort(new Error('aborted before the headers'))
      await assertRejects(response, 'the signal is aborted')
      await inTime(server.allClosed(), 'the close of the connection')
    }
  },
  ...[{ encoding: 'identity', first: Buffer.alloc(1000, 'x') }, {
    encoding: 'gzip',
    first: gzipSync(Buffer.alloc(200_000, 'x')).subarray(0, 150)
  }].map(({ encoding, first }) => ({
    name: `aborting during the body makes it fail and closes its connection (${encoding})`,
    async run ({ client, serve }) {
      const server = await serve((_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).write(first)
      })
      const controller = new AbortController()
      const { body } = await send(client, server.url(), { signal: controller.signal })
      await inTime(once(body, 'data'), 'the first chunk of the body')
      controller.abort(new Error('aborted during the body'))
      await assertBodyFails(body, 'the signal is aborted')
      await inTime(server.allClosed(), 'the close of the connection')
    }
  } satisfies ConformanceCase)),
  ...['identity', 'gzip'].map(encoding => ({
    name: `destroying the body closes its connection (${encoding})`,
    async run ({ client, serve }) {
      const server = await serve((_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).write(gzipSync('the beginning').subarray(0, 12))
      })
      const { body } = await send(client, server.url())
      body.on('error', () => {})
      body.destroy()
      await inTime(server.allClosed(), 'the close of the connection')
    }
  } satisfies ConformanceCase))
]

const SMALL = Buffer.from('small enough to arrive as a whole before anybody reads it')
/** More than a client buffers for a reader that does not read. */
const LARGE = Buffer.from(Uint8Array.from({ length: 1_000_000 }, (_, index) => (index * 7 + (index >> 8)) % 251))

const lateEncodings: ReadonlyArray<readonly [name: string, encode: (bytes: Buffer) => Buffer]> = [
  ['identity', bytes => bytes],
  ['gzip', gzipSync]
]

/** Completes another request. By then everything that a server has sent before has arrived. */
async function completeAnotherRequest ({ client, serve }: Pick<ConformanceContext, 'client' | 'serve'>): Promise<void> {
  const server = await serve((_request, response) => { response.end('another response') })
  await bytesOf((await send(client, server.url())).body)
}

export const lateReadingCases: readonly ConformanceCase[] = lateEncodings.flatMap(([encoding, encode]) => [
  {
    name: `a body that has failed before it is read fails when it is read (${encoding})`,
    async run ({ client, serve, serveBytes }) {
      const encoded = encode(SMALL)
      const half = encoded.subarray(0, 30)
      const answers: Record<string, [contentLength: number, sent: Buffer]> = {
        'the connection ended before the body': [encoded.length, Buffer.alloc(0)],
        'the connection ended within the body': [encoded.length, half],
        ...(encoding !== 'identity' &&
          { 'the encoded data is truncated, though it has its Content-Length': [half.length, half] })
      }
      for (const [reason, [contentLength, sent]] of Object.entries(answers)) {
        const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${contentLength}\r\n\r\n`
        const server = await serveBytes(Buffer.concat([Buffer.from(head), sent]))
        const { body } = await send(client, server.url())
        await completeAnotherRequest({ client, serve })
        await assertBodyFails(body, reason)
      }
    }
  },
  {
    name:
      `aborting before the body is read closes its connection and makes the body fail when it is read (${encoding})`,
    async run ({ client, serve }) {
      const server = await serve((_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).write(encode(SMALL).subarray(0, 30))
      })
      const controller = new AbortController()
      const { body } = await send(client, server.url(), { signal: controller.signal })
      controller.abort(new Error('aborted before the body is read'))
      await inTime(server.allClosed(), 'the close of the connection')
      await assertBodyFails(body, 'the signal is aborted')
    }
  },
  {
    name: `a body that is read late is complete (${encoding})`,
    async run ({ client, serve }) {
      for (const content of [SMALL, LARGE]) {
        const server = await serve((_request, response) => {
          response.writeHead(200, { 'content-encoding': encoding }).end(encode(content))
        })
        const { body } = await send(client, server.url())
        await completeAnotherRequest({ client, serve })
        const bytes = await bytesOf(body)
        assert.ok(
          bytes.equals(content),
          `the body must be the ${content.length} bytes sent; received ${bytes.length} bytes, not all of them the same`
        )
      }
    }
  }
])
