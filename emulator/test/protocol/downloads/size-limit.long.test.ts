import type http from 'node:http'
import t from 'tap'
import { sign, startBoth, startDocumentServer } from '../../support.js'

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

t.test('100 MB are accepted; one byte more is counted and refused without a Content-Length', async t => {
  const { host, server } = await startBoth(t)
  let size = LIMIT
  host.routes.set('/files/notes.txt', (_request, response) => { stream(size, response) })
  t.equal((await (await server.open(host.config('K', { name: 'notes.txt' }))).content()).length, LIMIT)
  size = LIMIT + 1
  await t.rejects(server.open(host.config('L', { name: 'notes.txt' })), { code: -93 })
})

t.test('a file of more than 100 MB is too large for a conversion', async t => {
  const server = await startDocumentServer(t, { version: '10.0' })
  const params = { outputtype: 'pdf', key: 'k' }
  const form = new FormData()
  form.append('params', JSON.stringify(params))
  form.append('token', sign({ ...params, operation: 'converter' }))
  form.append('file', new Blob([Buffer.alloc(LIMIT + 1)]), 'a.txt')
  t.equal((await fetch(`${server.url}/converter/from-file`, { method: 'POST', body: form })).status, 413)
})
