import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import {
  assertBodyFails, assertRejects, bytesOf, type HttpClientCases, type HttpClientScene, inTime, receive, send
} from './http-client-scene.js'

function patternBytes (length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, index) => (index * 7 + (index >> 8)) % 251))
}

const CONTENT = patternBytes(300_000)

type Encode = (bytes: Buffer) => Buffer

const encodings: Readonly<Record<string, Encode>> = {
  gzip: gzipSync, 'x-gzip': gzipSync, GZIP: gzipSync, deflate: deflateSync, br: brotliCompressSync
}

const wholeBodyCases: HttpClientCases = {
  async 'the body is a Readable of exactly the bytes sent, with Content-Length and chunked' ({ client, serve }) {
    const server = await serve((request, response) => {
      if (request.url === '/length') response.setHeader('content-length', CONTENT.length)
      else response.flushHeaders()
      response.end(CONTENT)
    })
    const { body, header } = await send(client, server.url('/length'))
    assert.ok(body instanceof Readable, 'the body must be a Readable of node:stream')
    assert.equal(header('content-length'), String(CONTENT.length), 'header() must return the Content-Length')
    assert.ok((await bytesOf(body)).equals(CONTENT), 'a body with Content-Length must be exactly the bytes sent')

    const chunked = await receive(client, server.url('/chunked'))
    const length = chunked.header('content-length')
    assert.equal(length, undefined, 'header() must return undefined: a chunked response has no Content-Length')
    assert.ok(chunked.bytes.equals(CONTENT), 'a chunked body must be exactly the bytes sent')
  },
  async 'the body is delivered as it arrives, before it is complete' ({ client, serve }) {
    let finish = () => {}
    const server = await serve((_request, response) => {
      response.write('first')
      finish = () => response.end(' last')
    })
    const { body } = await send(client, server.url())
    const [first] = await inTime(once(body, 'data'), 'the first chunk of the body')
    assert.equal(String(first), 'first', 'the first chunk must be delivered before the last is sent')
    finish()
    assert.equal(String(await bytesOf(body)), ' last', 'the rest must follow')
  },
  async 'an encoded body is decoded, also if the encoding was not requested, and header() hides Content-Encoding and Content-Length' (
    { client, serve }
  ) {
    for (const [encoding, encode] of Object.entries(encodings)) {
      const encoded = encode(CONTENT)
      const sent = { 'content-encoding': encoding, 'content-length': encoded.length, 'content-type': 'text/plain' }
      const server = await serve((_request, response) => { response.writeHead(200, sent).end(encoded) })
      const { header, bytes } = await receive(client, server.url(), { headers: { 'accept-encoding': 'identity' } })
      for (const name of ['content-encoding', 'Content-Encoding', 'content-length', 'Content-Length']) {
        const message = `header('${name}') must return undefined: the body was decoded (${encoding})`
        assert.equal(header(name), undefined, message)
      }
      assert.equal(header('content-type'), 'text/plain', 'header() must return the other headers')
      assert.ok(bytes.equals(CONTENT), `the body must be decoded (${encoding})`)
    }
  },
  async 'the body fails if it ends before its Content-Length' ({ client, serveBytes }) {
    for (const sent of [0, 1, 99]) {
      const server = await serveBytes(`HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n${'x'.repeat(sent)}`)
      const { body } = await send(client, server.url())
      await assertBodyFails(body, `truncated: ${sent} of 100 bytes were sent`)
    }
  },
  async 'a chunked body fails if it ends before its last chunk' ({ client, serveBytes }) {
    for (const chunks of ['', '5\r\nhel', '5\r\nhello\r\n', '5\r\nhello\r\n0\r\n', '5\r\nhello\r\nnonsense\r\n']) {
      const server = await serveBytes(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`)
      const { body } = await send(client, server.url())
      await assertBodyFails(body, `truncated or malformed: ${JSON.stringify(chunks)} was sent`)
    }
  },
  async 'an encoded body fails if it is truncated or not encoded as its Content-Encoding says' ({ client, serve }) {
    for (const [encoding, encode] of Object.entries(encodings)) {
      for (const bytes of [encode(CONTENT).subarray(0, -10), Buffer.from('not encoded at all')]) {
        const sent = { 'content-encoding': encoding, 'content-length': bytes.length }
        const server = await serve((_request, response) => { response.writeHead(200, sent).end(bytes) })
        const { body } = await send(client, server.url())
        await assertBodyFails(body, `${bytes.length} bytes were sent that are not complete ${encoding}`)
      }
    }
  }
}

const abortingCases: HttpClientCases = {
  async 'with an aborted signal, request rejects and sends nothing' ({ client, serve }) {
    const server = await serve((_request, response) => { response.end() })
    const signal = AbortSignal.abort(new Error('aborted before the request'))
    await assertRejects(send(client, server.url(), { signal }), 'the signal is aborted')
    assert.deepEqual(server.requests, [], 'the server must not receive a request')
  },
  async 'aborting before the headers arrive makes request reject and closes its connection' ({ client, serve }) {
    let onRequest = () => {}
    const requestReceived = new Promise<void>(resolve => { onRequest = resolve })
    const server = await serve(() => onRequest())
    const controller = new AbortController()
    const { signal } = controller
    const response = client.request({ purpose: 'callback', method: 'GET', url: server.url(), signal })
    response.catch(() => {}) // asserted below
    await inTime(requestReceived, 'the arrival of the request')
    controller.abort(new Error('aborted before the headers'))
    await assertRejects(response, 'the signal is aborted')
    await inTime(server.allClosed(), 'the close of the connection')
  }
}

const SMALL = Buffer.from('small enough to arrive as a whole before anybody reads it')
/** More than a client buffers for a reader that does not read. */
const LARGE = patternBytes(1_000_000)

/** Completes another request. By then everything that a server has sent before has arrived. */
async function completeAnotherRequest ({ client, serve }: Pick<HttpClientScene, 'client' | 'serve'>): Promise<void> {
  const server = await serve((_request, response) => { response.end('another response') })
  await receive(client, server.url())
}

function encodedCases (encoding: string, encode: Encode): HttpClientCases {
  const headers = { 'content-encoding': encoding }
  return {
    async [`a body that has failed before it is read fails when it is read (${encoding})`] (
      { client, serve, serveBytes }
    ) {
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
    },
    async [`aborting before the body is read closes its connection and makes the body fail when it is read (${encoding})`] (
      { client, serve }
    ) {
      const beginning = encode(SMALL).subarray(0, 30)
      const server = await serve((_request, response) => { response.writeHead(200, headers).write(beginning) })
      const controller = new AbortController()
      const { body } = await send(client, server.url(), { signal: controller.signal })
      controller.abort(new Error('aborted before the body is read'))
      await inTime(server.allClosed(), 'the close of the connection')
      await assertBodyFails(body, 'the signal is aborted')
    },
    async [`a body that is read late is complete (${encoding})`] ({ client, serve }) {
      for (const content of [SMALL, LARGE]) {
        const server = await serve((_request, response) => { response.writeHead(200, headers).end(encode(content)) })
        const { body } = await send(client, server.url())
        await completeAnotherRequest({ client, serve })
        const bytes = await bytesOf(body)
        const received = `received ${bytes.length} bytes, not all of them the same`
        assert.ok(bytes.equals(content), `the body must be the ${content.length} bytes sent; ${received}`)
      }
    },
    async [`aborting during the body makes it fail and closes its connection (${encoding})`] ({ client, serve }) {
      const beginning = encode(Buffer.alloc(200_000, 'x')).subarray(0, 150)
      const server = await serve((_request, response) => { response.writeHead(200, headers).write(beginning) })
      const controller = new AbortController()
      const { body } = await send(client, server.url(), { signal: controller.signal })
      await inTime(once(body, 'data'), 'the first chunk of the body')
      controller.abort(new Error('aborted during the body'))
      await assertBodyFails(body, 'the signal is aborted')
      await inTime(server.allClosed(), 'the close of the connection')
    },
    async [`destroying the body closes its connection (${encoding})`] ({ client, serve }) {
      const beginning = gzipSync('the beginning').subarray(0, 12)
      const server = await serve((_request, response) => { response.writeHead(200, headers).write(beginning) })
      const { body } = await send(client, server.url())
      body.on('error', () => {})
      body.destroy()
      await inTime(server.allClosed(), 'the close of the connection')
    }
  }
}

export const bodyCases: HttpClientCases = {
  ...wholeBodyCases,
  ...abortingCases,
  ...encodedCases('identity', bytes => bytes),
  ...encodedCases('gzip', gzipSync)
}
