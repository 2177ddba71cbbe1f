import type http from 'node:http'
import t from 'tap'
import { startDocumentServer, startFakeHost } from '../../support.js'

const LIMIT = 100 * 1024 * 1024
const CHUNK = Buffer.alloc(1024 * 1024, 'a')

/** Sends so many bytes without holding them. */
function stream (total: number, response: http.ServerResponse): void {
  let left = total
  const more = () => {
    while (left > 0) {
      const size = Math.min(left, CHUNK.length)
      left -= size
      if (!response.write(CHUNK.subarray(0, size))) return
    }
    response.end()
  }
  response.on('drain', more)
  more()
}

t.test('a Content-Length over 100 MB is refused before the body', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  host.routes.set('/files/notes.txt', (_request, response) => { response.writeHead(200, { 'content-length': LIMIT + 1 }).flushHeaders() })
  await t.rejects(server.open(host.config('K', { name: 'notes.txt' })), { code: -93 })
  t.equal(host.received.filter(({ method }) => method === 'GET').length, 1)
})

t.test('100 MB are accepted; one byte more is counted and refused without a Content-Length', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  let size = LIMIT
  host.routes.set('/files/notes.txt', (_request, response) => { stream(size, response) })
  t.equal((await (await server.open(host.config('K', { name: 'notes.txt' }))).content()).length, LIMIT)
  size = LIMIT + 1
  await t.rejects(server.open(host.config('L', { name: 'notes.txt' })), { code: -93 })
})
