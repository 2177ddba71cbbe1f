import net, { type Socket } from 'node:net'
import tls from 'node:tls'
import t, { type Test } from 'tap'
import { undiciClient } from '../../lib/index.js'
import { createCertificate } from '../kit/network.js'
import { listen } from '../kit/http.js'

/** As much as undici keeps for someone who does not read: with the last byte of it undici begins to wait. */
const WAITING = 64 * 1024
/** More than is kept anywhere on the way would never be sent. */
const SIZES = [WAITING - 1, WAITING, WAITING + 1, 3 * WAITING]

const certificate = createCertificate()

type End = (socket: Socket, below: Socket) => void

/** Reads an answer when its connection has ended while nobody read. */
async function outcomeOf (t: Test, secure: boolean, lines: readonly string[], size: number, end: End): Promise<string> {
  const client = undiciClient({ tls: { rejectUnauthorized: false } })
  t.teardown(() => client.close!())
  let below: Socket // TLS itself knows no reset
  function answer (socket: Socket): void {
    socket.once('data', data => {
      if (String(data).startsWith('GET /other')) return socket.end('HTTP/1.1 204 No Content\r\n\r\n')
      const head = Buffer.from(`HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n`)
      socket.write(Buffer.concat([head, Buffer.alloc(size, 'x')]), () => end(socket, below))
    })
  }
  const server = secure ? tls.createServer({ key: certificate.key, cert: certificate.cert }, answer) : net.createServer(answer)
  server.on('connection', (socket: Socket) => { below = socket })
  const { port } = await listen(t, server)
  const get = async (path: string) =>
    await client.request({
      purpose: 'proxy',
      method: 'GET',
      url: new URL(`http${secure ? 's' : ''}://127.0.0.1:${port}${path}`),
      signal: new AbortController().signal
    })
  const { body } = await get('/')
  // When that is answered the end has come, too.
  for (let other = 0; other < 3; other++) await (await get('/other')).body.toArray()
  return await body.toArray().then(chunks => `${Buffer.concat(chunks).length} bytes`, () => 'an error')
}

const ends: Record<'closed' | 'reset', End> = {
  closed: socket => { socket.end() },
  reset: (_socket, below) => { below.resetAndDestroy() }
}

for (const secure of [false, true]) {
  for (const close of [[], ['Connection: close']]) {
    const of = `${secure ? 'https' : 'http'}, ${close[0] ?? 'kept alive'}`

    // A connection that is kept alive and closes at the very byte at which undici waits makes a complete answer fail.
    t.test(`a complete answer is read in full even if its connection closes before it is read (${of})`, async t => {
      for (const size of close.length > 0 ? SIZES : [WAITING - 1, 3 * WAITING]) {
        t.equal(await outcomeOf(t, secure, [...close, `Content-Length: ${size}`], size, ends.closed), `${size} bytes`, `${size} bytes with a length`)
        t.equal(await outcomeOf(t, secure, [...close, 'Transfer-Encoding: chunked'], 0, socket => {
          socket.end(Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), Buffer.alloc(size, 'x'), Buffer.from('\r\n0\r\n\r\n')]))
        }), `${size} bytes`, `${size} bytes in a chunk`)
      }
    })

    for (const [how, end] of Object.entries(ends)) {
      t.test(`a truncated answer whose connection is ${how} before it is read is an error (${of})`, async t => {
        for (const size of SIZES) {
          t.equal(await outcomeOf(t, secure, [...close, `Content-Length: ${size + 1}`], size, end), 'an error', `${size} bytes with a length`)
        }
      })
    }
  }

  t.test(`an answer without a length whose connection closes before it is read is complete (${secure ? 'https' : 'http'})`, async t => {
    for (const size of SIZES) t.equal(await outcomeOf(t, secure, ['Connection: close'], size, ends.closed), `${size} bytes`)
  })
}
