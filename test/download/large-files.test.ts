import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readlink, truncate } from 'node:fs/promises'
import http, { type ServerResponse } from 'node:http'
import net from 'node:net'
import { join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { fileStorage } from '../../lib/index.js'
import { type HostOptions, startHost } from '../kit/host.js'

const CONTENT = randomBytes(1024 * 1024 + 7)

async function start (t: Test, options: HostOptions = {}) {
  const directory = t.testdir()
  const storage = fileStorage({ directory })
  const host = await startHost(t, { profile: 'classic', storage, ...options })
  const { fileId } = await storage.create('docx', CONTENT)
  return { ...host, path: join(directory, `${fileId}.docx`), url: host.handler({ action: 'download', fileId }) }
}

async function openFiles (path: string): Promise<number> {
  const targets = await Promise.all((await readdir('/proc/self/fd')).map(async descriptor => await readlink(`/proc/self/fd/${descriptor}`).catch(() => '')))
  return targets.filter(target => target === path).length
}

t.test('many clients that download a large file at the same time get its bytes', async t => {
  const { url } = await start(t)
  const bodies = await Promise.all(Array.from({ length: 20 }, async () => Buffer.from(await (await fetch(url)).arrayBuffer())))
  t.ok(bodies.every(body => body.equals(CONTENT)))
})

t.test('a client that reads slowly gets the same bytes, and so do pipelined requests', async t => {
  const { url } = await start(t)
  const { host, hostname, port, pathname, search } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  socket.write(
    `GET ${pathname + search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(3) +
      `GET ${pathname + search} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
  )
  const chunks: Buffer[] = []
  for await (const chunk of socket) {
    chunks.push(chunk)
    await new Promise(resolve => setImmediate(resolve))
  }
  const received = Buffer.concat(chunks)
  let position = 0
  for (let answer = 0; answer < 4; answer++) {
    position = received.indexOf('\r\n\r\n', position) + 4
    t.ok(received.subarray(position, position += CONTENT.length).equals(CONTENT))
  }
  t.equal(position, received.length)
})

const customizations: Record<string, HostOptions['prepare']> = {
  'an onSend hook that pipes it through another stream': app =>
    app.addHook('onSend', async (_request, _reply, payload) => (payload as Readable).pipe(new PassThrough())),
  'an onSend hook that listens to its data': app =>
    app.addHook('onSend', async (_request, _reply, payload) => {
      ;(payload as Readable).on('data', () => {})
      return payload
    }),
  'a hook that replaces the write method of the response': app =>
    app.addHook('onRequest', async (_request, { raw }) => {
      const write = raw.write as (chunk: Buffer) => boolean
      // As a compressing one does: it takes no callback.
      raw.write = ((chunk: Buffer) => write.call(raw, Buffer.from(chunk))) as ServerResponse['write']
    })
}
for (const [name, prepare] of Object.entries(customizations)) {
  t.test(`a large file reaches the client unchanged with ${name}`, async t => {
    const { url } = await start(t, { prepare: prepare! })
    t.ok(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(CONTENT))
  })
}

t.test('app.inject() gets a large file', async t => {
  const { app, url } = await start(t)
  const { pathname, search } = new URL(url)
  const { statusCode, rawPayload } = await app.inject(pathname + search)
  t.equal(statusCode, 200)
  t.ok(rawPayload.equals(CONTENT))
})

t.test('a large file that becomes shorter while it is sent ends the connection', async t => {
  const { url, path } = await start(t)
  const response = await new Promise<http.IncomingMessage>(resolve => http.get(url, resolve))
  await truncate(path, 100)
  await t.rejects(buffer(response), { code: 'ECONNRESET' })
})

t.test('the file is closed after a download, and when the client leaves', {
  skip: process.platform !== 'linux' && 'open files are counted in /proc'
}, async t => {
  const { app, url, path } = await start(t)
  await (await fetch(url)).arrayBuffer()
  const request = http.get(url)
  const [response] = await once(request, 'response') as [http.IncomingMessage]
  t.ok(await openFiles(path) > 0)
  response.destroy()
  await app.close()
  while (await openFiles(path) > 0) await new Promise(resolve => setImmediate(resolve))
  t.pass('closed')
})
