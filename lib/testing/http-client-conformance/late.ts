import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { assertBodyFails, bytesOf, type ConformanceCase, type ConformanceContext, get, soon } from './case.js'

const LITTLE = Buffer.from('little enough to be there as a whole before anybody reads it')
/** More than a client keeps for someone who does not read. */
const MUCH = Buffer.from(Uint8Array.from({ length: 1_000_000 }, (_, index) => (index * 7 + (index >> 8)) % 251))

const encodings: ReadonlyArray<readonly [name: string, encode: (bytes: Buffer) => Buffer]> = [
  ['identity', bytes => bytes],
  ['gzip', gzipSync]
]

/** What the server had to send before has had its time when another exchange is done. */
async function afterAnotherAnswer ({ client, serve }: Pick<ConformanceContext, 'client' | 'serve'>): Promise<void> {
  const server = await serve((_request, response) => { response.end('another answer') })
  await bytesOf((await get(client, server.url())).body)
}

export const lateCases: readonly ConformanceCase[] = encodings.flatMap(([encoding, encode]) => [
  {
    name: `a body that fails before it is read (${encoding}): whoever reads it later is told`,
    async run ({ client, serve, serveBytes }) {
      const encoded = encode(LITTLE)
      const cut = encoded.subarray(0, 30)
      const answers: Record<string, [announced: number, sent: Buffer]> = {
        'nothing of what was announced': [encoded.length, Buffer.alloc(0)],
        'half of what was announced': [encoded.length, cut],
        ...(encoding !== 'identity' && { 'all that was announced, but only half of what was encoded': [cut.length, cut] })
      }
      for (const [what, [announced, sent]] of Object.entries(answers)) {
        const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${announced}\r\n\r\n`
        const server = await serveBytes(Buffer.concat([Buffer.from(head), sent]))
        const { body } = await get(client, server.url())
        await afterAnotherAnswer({ client, serve })
        await assertBodyFails(body, what)
      }
    }
  },
  {
    name: `a signal aborted before the body is read (${encoding}): whoever reads it later is told, and its connection closes`,
    async run ({ client, serve }) {
      const server = await serve((_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).write(encode(LITTLE).subarray(0, 30))
      })
      const controller = new AbortController()
      const { body } = await get(client, server.url(), { signal: controller.signal })
      controller.abort(new Error('the deadline'))
      await soon(server.allClosed(), 'the connection closes')
      await assertBodyFails(body, 'the signal is aborted')
    }
  },
  {
    name: `a body that is read late (${encoding}) is whole`,
    async run ({ client, serve }) {
      for (const content of [LITTLE, MUCH]) {
        const server = await serve((_request, response) => {
          response.writeHead(200, { 'content-encoding': encoding }).end(encode(content))
        })
        const { body } = await get(client, server.url())
        await afterAnotherAnswer({ client, serve })
        const bytes = await bytesOf(body)
        assert.ok(bytes.equals(content), `${bytes.length} of ${content.length} bytes, or not the right ones`)
      }
    }
  }
])
