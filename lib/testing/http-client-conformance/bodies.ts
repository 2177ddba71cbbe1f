import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { assertBodyFails, bytesOf, type ConformanceCase, get, soon } from './case.js'

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
    name: 'the body is a Readable of exactly the bytes, by Content-Length and chunked',
    async run ({ client, serve }) {
      const server = await serve((request, response) => {
        if (request.url === '/length') response.setHeader('content-length', CONTENT.length)
        else response.flushHeaders()
        response.end(CONTENT)
      })
      const announced = await get(client, server.url('/length'))
      assert.ok(announced.body instanceof Readable, 'the body is a Readable')
      assert.equal(announced.header('content-length'), String(CONTENT.length))
      assert.ok((await bytesOf(announced.body)).equals(CONTENT), 'exactly the bytes, by Content-Length')

      const chunked = await get(client, server.url('/chunked'))
      assert.equal(chunked.header('content-length'), undefined)
      assert.ok((await bytesOf(chunked.body)).equals(CONTENT), 'exactly the bytes, chunked')
    }
  },
  {
    name: 'the body arrives as it is sent, not when it is complete',
    async run ({ client, serve }) {
      let finish = () => {}
      const server = await serve((_request, response) => {
        response.write('first')
        finish = () => response.end(' last')
      })
      const { body } = await get(client, server.url())
      const [first] = await soon(once(body, 'data'), 'the first bytes')
      assert.equal(String(first), 'first')
      finish()
      assert.equal((await bytesOf(body)).toString(), ' last')
    }
  },
  {
    name: 'a Content-Encoding has been undone, also one that was not asked for, and its headers are hidden',
    async run ({ client, serve }) {
      for (const [encoding, encode] of encodings) {
        const encoded = encode(CONTENT)
        const server = await serve((_request, response) => {
          response.writeHead(200, { 'content-encoding': encoding, 'content-length': encoded.length, 'content-type': 'text/plain' }).end(encoded)
        })
        const { header, body } = await get(client, server.url(), { headers: { 'accept-encoding': 'identity' } })
        for (const name of ['content-encoding', 'Content-Encoding', 'content-length', 'Content-Length']) {
          assert.equal(header(name), undefined, `${name} of ${encoding}`)
        }
        assert.equal(header('content-type'), 'text/plain')
        assert.ok((await bytesOf(body)).equals(CONTENT), `${encoding} is decoded`)
      }
    }
  },
  {
    name: 'the body errors when it ends before the announced length',
    async run ({ client, serveBytes }) {
      for (const sent of [0, 1, 50, 99]) {
        const server = await serveBytes(`HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n${'x'.repeat(sent)}`)
        const { body } = await get(client, server.url())
        await assertBodyFails(body, `${sent} of 100 bytes`)
      }
    }
  },
  {
    name: 'the body errors when it is chunked and the last chunk is missing',
    async run ({ client, serveBytes }) {
      for (const chunks of ['', '5\r\n', '5\r\nhel', '5\r\nhello\r\n', '5\r\nhello\r\n0\r\n', '5\r\nhello\r\nnonsense\r\n']) {
        const server = await serveBytes(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`)
        const { body } = await get(client, server.url())
        await assertBodyFails(body, JSON.stringify(chunks))
      }
    }
  },
  {
    name: 'the body errors when its encoded bytes are cut, or are not what Content-Encoding says',
    async run ({ client, serve }) {
      for (const [encoding, encode] of encodings) {
        const encoded = encode(CONTENT)
        for (const bytes of [encoded.subarray(0, encoded.length - 10), Buffer.from('not encoded at all')]) {
          const server = await serve((_request, response) => {
            response.writeHead(200, { 'content-encoding': encoding, 'content-length': bytes.length }).end(bytes)
          })
          const { body } = await get(client, server.url())
          await assertBodyFails(body, `${bytes.length} bytes of ${encoding}`)
        }
      }
    }
  }
]
