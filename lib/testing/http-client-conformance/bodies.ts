import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { assertBodyFails, bytesOf, type ConformanceCase, inTime, send } from './case.js'

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
      assert.equal(withLength.header('content-length'), String(CONTENT.length), 'header() must return the Content-Length')
      assert.ok((await bytesOf(withLength.body)).equals(CONTENT), 'a body with Content-Length must be exactly the bytes sent')

      const chunked = await send(client, server.url('/chunked'))
      assert.equal(chunked.header('content-length'), undefined, 'header() must return undefined: a chunked response has no Content-Length')
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
    name: 'an encoded body is decoded, also if the encoding was not requested, and header() hides Content-Encoding and Content-Length',
    async run ({ client, serve }) {
      for (const [encoding, encode] of encodings) {
        const encoded = encode(CONTENT)
        const server = await serve((_request, response) => {
          response.writeHead(200, { 'content-encoding': encoding, 'content-length': encoded.length, 'content-type': 'text/plain' }).end(encoded)
        })
        const { header, body } = await send(client, server.url(), { headers: { 'accept-encoding': 'identity' } })
        for (const name of ['content-encoding', 'Content-Encoding', 'content-length', 'Content-Length']) {
          assert.equal(header(name), undefined, `header('${name}') must return undefined: the body was decoded (${encoding})`)
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
      for (const chunks of ['', '5\r\n', '5\r\nhel', '5\r\nhello\r\n', '5\r\nhello\r\n0\r\n', '5\r\nhello\r\nnonsense\r\n']) {
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
