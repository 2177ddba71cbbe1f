import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { memoryStorage, type EditorStorage } from '../../lib/index.js'
import { streamOf } from '../../lib/util/streams.js'
import { deferred } from '../kit/time.js'
import { startHost } from '../kit/host.js'

const SIZE = 1024 ** 3

/** A storage of one file of 1 GiB, made as it is read. */
async function endless () {
  const memory = memoryStorage()
  const { fileId } = await memory.create('docx', Buffer.from('content'))
  const info = { ...(await memory.stat(fileId))!, size: SIZE }
  const closed = deferred()
  let produced = 0
  function open (): Readable {
    const body = new Readable({
      read (wanted) {
        produced += wanted
        this.push(Buffer.alloc(wanted))
      }
    })
    return body.once('close', () => closed.resolve())
  }
  const storage: EditorStorage = {
    ...memory,
    stat: async () => info,
    read: async () => ({ info, body: open() }),
    versions: {
      ...memory.versions,
      read: async () => ({ version: { ...info, version: 1, keptAt: new Date(), changesSize: null, details: null }, body: open() })
    }
  }
  return { storage, fileId, closed: closed.promise, produced: () => produced }
}

t.test('when the client disconnects during a download, the file is closed without reading the rest', async t => {
  const { storage, fileId, closed, produced } = await endless()
  const host = await startHost(t, { profile: 'classic', storage })
  const request = http.get(host.handler({ action: 'download', fileId }))
  const [response] = await once(request, 'response') as [http.IncomingMessage]
  t.equal(response.statusCode, 200)
  await once(response, 'data')
  request.destroy()
  await closed
  t.ok(produced() < SIZE / 10, `${produced()} bytes were read`)
})

for (const [what, query] of [['a download', {}], ['a download of an earlier version', { version: '1' }]] as const) {
  t.test(`${what} that the client stops reading is ended after timeouts.idle, and its file is closed`, async t => {
    const { storage, fileId, closed, produced } = await endless()
    const host = await startHost(t, { profile: 'classic', storage, versions: {}, timeouts: { idle: 100 } })
    const request = http.get(host.handler({ action: 'download', fileId, ...query }))
    const [response] = await once(request, 'response') as [http.IncomingMessage]
    response.pause()
    await closed
    t.ok(produced() < SIZE / 10, `${produced()} bytes were read`)
    response.resume()
    const [error] = await once(response, 'error')
    t.equal(error.code, 'ECONNRESET')
  })
}

t.test('HEAD of an earlier version closes its file without reading it', async t => {
  const { storage, fileId, closed, produced } = await endless()
  const host = await startHost(t, { profile: 'classic', storage, versions: {} })
  const response = await fetch(host.handler({ action: 'download', fileId, version: '1' }), { method: 'HEAD' })
  t.equal(response.headers.get('content-length'), String(SIZE))
  await closed
  t.equal(produced(), 0)
})

t.test('a download of a file in one piece is ended, too, when the client does not read it', async t => {
  const memory = memoryStorage()
  const { fileId } = await memory.create('docx', Buffer.alloc(64 * 1024))
  const storage: EditorStorage = {
    ...memory,
    async read (id) {
      return { info: (await memory.stat(id))!, body: streamOf(Buffer.alloc(64 * 1024)) }
    }
  }
  const host = await startHost(t, { profile: 'classic', storage, timeouts: { idle: 100 } })
  const closed = deferred()
  host.app.server.once('connection', socket => socket.once('close', () => closed.resolve()))
  const { pathname, search, hostname, port, host: name } = new URL(host.handler({ action: 'download', fileId }))
  const socket = net.connect(Number(port), hostname)
  t.teardown(() => socket.destroy())
  socket.on('error', () => {}).pause()
  // Until no more fits into the buffers of the operating system.
  socket.write(`GET ${pathname + search} HTTP/1.1\r\nHost: ${name}\r\n\r\n`.repeat(300))
  await closed.promise
  t.pass('the connection is closed')
})

t.test('a stalled download is ended also when it is pipelined behind another answer or the client keeps sending', async t => {
  for (const more of ['pipelined', 'dripping'] as const) {
    const { storage, fileId, closed } = await endless()
    const host = await startHost(t, { profile: 'classic', storage, timeouts: { idle: 100 }, prepare: app => app.get('/small', async () => 'small') })
    const { pathname, search, hostname, port, host: name } = new URL(host.handler({ action: 'download', fileId }))
    const socket = net.connect(Number(port), hostname)
    t.teardown(() => socket.destroy())
    socket.on('error', () => {}).pause()
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${name}\r\n\r\n`
    socket.write(
      more === 'pipelined'
        ? get('/small') + get(pathname + search)
        : `${get(pathname + search)}POST /small HTTP/1.1\r\nHost: ${name}\r\nContent-Length: 100000\r\n\r\n`
    )
    const drip = setInterval(() => {
      if (more === 'dripping') socket.write('x')
    }, 20)
    await closed
    clearInterval(drip)
    t.pass(more)
  }
})

t.test('time the storage needs does not count as the client\'s idle time', async t => {
  const memory = memoryStorage()
  const { fileId } = await memory.create('docx', Buffer.from('0123456789'))
  const storage: EditorStorage = {
    ...memory,
    async read (id) {
      await delay(150)
      async function * content () {
        yield Buffer.from('01234')
        await delay(150)
        yield Buffer.from('56789')
      }
      return { info: (await memory.stat(id))!, body: Readable.from(content(), { objectMode: false }) }
    }
  }
  const host = await startHost(t, { profile: 'classic', storage, timeouts: { idle: 100 } })
  t.equal(await (await fetch(host.handler({ action: 'download', fileId }))).text(), '0123456789')
})

t.test('when a hook of the application replaces the download\'s answer or fails, the file is closed', async t => {
  for (const hook of ['replaces', 'fails'] as const) {
    const { storage, fileId, closed } = await endless()
    const host = await startHost(t, {
      profile: 'classic',
      storage,
      prepare: app => app.addHook('onSend', async (_request, reply) => {
        if (hook === 'fails') throw new Error('the hook failed')
        reply.removeHeader('content-length')
        return 'something else'
      })
    })
    await fetch(host.handler({ action: 'download', fileId })).then(async response => await response.text(), () => {})
    await closed
    t.pass(hook)
  }
})

t.test('a connection that carried a download gets the server\'s usual timeouts back', async t => {
  const host = await startHost(t, { profile: 'classic', prepare: app => app.get('/other', async () => 'other') })
  host.app.server.keepAliveTimeout = 0
  const { fileId } = await host.storage.create('docx', Buffer.from('content'))
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const connected = once(host.app.server, 'connection')
  const timeoutAfter = async (url: string) => {
    const [response] = await once(http.get(url, { agent }), 'response') as [http.IncomingMessage]
    response.resume()
    await once(response, 'end')
    return (await connected)[0].timeout ?? 0
  }
  const before = await timeoutAfter(`${host.origin}/other`)
  t.equal(await timeoutAfter(host.handler({ action: 'download', fileId })), before)
  t.equal(await timeoutAfter(`${host.origin}/other`), before)
})

t.test('a storage that fails while the file is sent resets the connection: a truncated file never looks complete', async t => {
  const memory = memoryStorage()
  const { fileId } = await memory.create('docx', Buffer.from('0123456789'))
  const storage: EditorStorage = {
    ...memory,
    async read (id) {
      async function * content () {
        yield Buffer.from('0123')
        throw new Error('the disk is gone')
      }
      return { info: (await memory.stat(id))!, body: Readable.from(content(), { objectMode: false }) }
    }
  }
  const host = await startHost(t, { profile: 'classic', storage })
  await t.rejects((async () => (await fetch(host.handler({ action: 'download', fileId }))).text())())
})

t.test('a storage that fails before the first byte is answered 500 without a reason', async t => {
  const fail = async () => { throw new Error('EIO: /secret/path') }
  const storage: EditorStorage = { ...memoryStorage(), stat: fail, read: fail }
  const host = await startHost(t, { profile: 'classic', storage })
  const response = await fetch(host.handler({ action: 'download', fileId: 'a' }))
  t.equal(response.status, 500)
  t.strictSame(await response.json(), { statusCode: 500, code: 'FST_EDITOR_ACTION_FAILED', error: 'Internal Server Error', message: 'The application failed. Its log says why.' })
  t.equal(response.headers.get('content-disposition'), null)
})
