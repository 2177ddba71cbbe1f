import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { assertBodyFails, bytesOf, type ConformanceCase, type ConformanceContext, inTime, send } from './case.js'

const SMALL = Buffer.from('small enough to arrive as a whole before anybody reads it')
/** More than a client buffers for a reader that does not read. */
const LARGE = Buffer.from(Uint8Array.from({ length: 1_000_000 }, (_, index) => (index * 7 + (index >> 8)) % 251))

const encodings: ReadonlyArray<readonly [name: string, encode: (bytes: Buffer) => Buffer]> = [
  ['identity', bytes => bytes],
  ['gzip', gzipSync]
]

/** Completes another request. By then everything that a server has sent before has arrived. */
async function completeAnotherRequest ({ client, serve }: Pick<ConformanceContext, 'client' | 'serve'>): Promise<void> {
  const server = await serve((_request, response) => { response.end('another response') })
  await bytesOf((await send(client, server.url())).body)
}

export const lateReadingCases: readonly ConformanceCase[] = encodings.flatMap(([encoding, encode]) => [
  {
    name: `a body that has failed before it is read fails when it is read (${encoding})`,
    async run ({ client, serve, serveBytes }) {
      const encoded = encode(SMALL)
      const half = encoded.subarray(0, 30)
      const answers: Record<string, [contentLength: number, sent: Buffer]> = {
        'the connection ended before the body': [encoded.length, Buffer.alloc(0)],
        'the connection ended within the body': [encoded.length, half],
        ...(encoding !== 'identity' && { 'the encoded data is truncated, though it has its Content-Length': [half.length, half] })
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
    name: `aborting before the body is read closes its connection and makes the body fail when it is read (${encoding})`,
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
        assert.ok(bytes.equals(content), `the body must be the ${content.length} bytes sent; received ${bytes.length} bytes, not all of them the same`)
      }
    }
  }
])
