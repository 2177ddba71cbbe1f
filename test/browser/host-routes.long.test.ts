import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import t from 'tap'
import { startDemo, temporaryDirectory } from '../kit/programs.js'

const directory = await temporaryDirectory(t)
const demo = await startDemo(t, { directory })
const MEGABYTE = 1024 * 1024

t.test('demo: an invalid upload is refused and leaves no file behind', async t => {
  const stored = async () => (await readdir(join(directory, 'uploads'))).sort()
  const before = await stored()
  const upload = (query: string, type = 'application/octet-stream') =>
    fetch(`${demo.url}/documents${query}`, { method: 'POST', headers: { 'content-type': type }, body: 'content' })

  t.equal((await upload('?name=program.exe')).status, 415)
  for (const query of ['', '?name=', '?name=.md', '?name=no-extension', '?name=a.md&name=b.md', '?name=a%2fb.md', `?name=${'long'.repeat(100)}.md`]) {
    t.equal((await upload(query)).status, 400, query)
  }
  for (const type of ['text/plain', 'multipart/form-data', 'application/json', '']) {
    t.equal((await upload('?name=a.md', type)).status, 415, `content type '${type}'`)
  }
  t.equal((await fetch(`${demo.url}/documents?name=a.md`, { method: 'POST' })).status, 415, 'no body')
  t.strictSame(await stored(), before)
})

t.test('demo: an upload over the limit is refused, with or without a Content-Length, and leaves no file behind', async t => {
  const stored = async () => (await readdir(join(directory, 'uploads'))).sort()
  const before = await stored()
  const chunk = Buffer.alloc(MEGABYTE, 'text ')

  for (const headers of [{ 'content-length': 101 * MEGABYTE }, { 'transfer-encoding': 'chunked' }]) {
    const upload = request(`${demo.url}/documents?name=big.txt`, { method: 'POST', headers: { 'content-type': 'application/octet-stream', ...headers } })
    const answered = once(upload, 'response') as Promise<[IncomingMessage]>
    let sent = 0
    const send = () => {
      while (!upload.destroyed && sent++ < 101 && upload.write(chunk)) { /* until it is full */ }
    }
    upload.on('drain', send).on('error', () => {})
    send()
    const [response] = await answered
    t.equal(response.statusCode, 413, JSON.stringify(headers))
    t.match(await json(response), { message: /larger than 100 MB/ })
    upload.destroy()
  }
  t.strictSame(await stored(), before)
})
