import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import net from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { forgedToken, SECRET } from '../../kit/document-server.js'
import { signed } from '../../kit/host.js'
import type { AlwaysStopped, Run, StoppedByOptions, TargetOptions } from './attack.js'
import { JSON_TYPE, startTarget, type Target } from './target.js'

const MIB = 1024 ** 2
const SIZE = 4 * MIB

type Address = (target: Target) => string

/** A connection on which a request has begun: its head, with no more of a body than what is written afterwards. */
function begin (t: Test, method: string, address: string, headers = ''): net.Socket {
  const { pathname, search, hostname, port, host } = new URL(address)
  const socket = net.connect(Number(port), hostname)
  t.teardown(() => socket.destroy())
  socket.on('error', () => {})
  socket.write(`${method} ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`)
  return socket
}

/** A callback of 4 MiB, of which nobody waits for the answer. */
function beginCallback (t: Test, address: string, headers = ''): net.Socket {
  return begin(t, 'POST', address, `${headers}Content-Length: ${SIZE}\r\n`).resume()
}

/** Bytes that the service takes of a body of 4 MiB. */
async function bytesTaken (t: Test, options: TargetOptions, address: Address): Promise<number> {
  const target = await startTarget(t, options)
  const accepted = once(target.app.server, 'connection') as Promise<[net.Socket]>
  const socket = beginCallback(t, address(target), 'Connection: close\r\n')
  const [connection] = await accepted
  const closed = once(connection, 'close')
  socket.write(Buffer.alloc(SIZE, 'x'))
  await closed
  return connection.bytesRead
}

const sending = (address: Address): Run => async (t, options) => await bytesTaken(t, options, address) > SIZE / 2

const genuine: Address = ({ urls, fileId }) => urls.callback(fileId)

const withoutFile = (title: string, query: (target: Target) => Record<string, string>): AlwaysStopped => ({
  title,
  has: 'an HTTP client',
  because: 'the URL is checked before the body is read',
  run: sending(target => target.handler({ action: 'callback', ...query(target) })),
  control: sending(genuine)
})

const unsigned: StoppedByOptions = {
  title: 'has bodies of 4 MiB read and parsed with a fileId and no signature, whatever authorize returns',
  has: 'an HTTP client',
  stoppedBy: { signedUrls: 'an unsigned URL is refused before the body is read' },
  run: async (t, options) => await sending(({ handler, fileId }) => handler({ action: 'callback', fileId }))(t, { ...options, authorize: () => 'grant' })
}

/** Whether what a token holds is parsed. */
const havingDecoded = (secret: string): Run => async (t, options) => {
  const target = await startTarget(t, { ...options, requireToken: true })
  const parse = t.capture(JSON, 'parse', JSON.parse)
  const claims = { key: target.key, status: 1, exp: Math.ceil(Date.now() / 1000) + 300, userdata: 'of the attacker' }
  await target.postCallback(target.fileId, { token: forgedToken(claims, { secret }) })
  return parse().some(({ args }) => String(args[0]).includes('of the attacker'))
}

const decoding: AlwaysStopped = {
  title: 'has forged tokens of 4 MiB decoded and parsed',
  has: 'the callback URL of a document of their own',
  because: 'the signature is verified over the raw token first',
  run: havingDecoded('a-secret-of-the-attacker-0123456789'),
  control: havingDecoded(SECRET)
}

/** Whether a body that trickles in is allowed to continue without limit. */
const dripping = (timeouts: object): Run => async (t, options) => {
  const target = await startTarget(t, { ...options, ...timeouts })
  const socket = beginCallback(t, genuine(target))
  for (let bytes = 0; bytes < 40 && !socket.closed; bytes++) {
    socket.write('x')
    await delay(15)
  }
  return !socket.closed
}

const drip: AlwaysStopped = {
  title: 'keeps connections open with bodies that trickle in',
  has: 'the callback URL of a document of their own',
  because: '`timeouts.body`',
  run: dripping({ timeouts: { body: 100 } }),
  control: dripping({})
}

/** What is stopped may take its time on a busy machine; what is not stopped need not be watched for long. */
const PATIENCE_MS = 60_000
const CONTROL_MS = 1000

/** Whether somebody else's callback waits while a stranger sends a large body, slowly. */
const holdingUp = (prepare: (target: Target) => Record<string, string>, patience: number): Run => async (t, options) => {
  const target = await startTarget(t, { ...options, requireToken: true })
  const arrived = once(target.app.server, 'request')
  beginCallback(t, genuine(target)).write('x'.repeat(200_000))
  await arrived
  const fields = { key: target.key, status: 1, history: { serverVersion: 'x'.repeat(200_000) } }
  const done = target.postCallback(target.fileId, { ...fields, token: signed(fields) }, prepare(target)).then(() => false, () => true)
  return await Promise.race([done, delay(patience, true, { ref: false })])
}

const line: AlwaysStopped = {
  title: 'delays the document server\'s large callbacks with large bodies of their own',
  has: 'the callback URL of a document of their own',
  because: 'a callback with the document server\'s token in the header is not queued',
  run: holdingUp(({ key }) => ({ ...JSON_TYPE, authorization: `Bearer ${signed({ payload: { key, status: 1 } })}` }), PATIENCE_MS),
  control: holdingUp(() => JSON_TYPE, CONTROL_MS)
}

/** A host that lets the service read a download for as long as nobody takes it. */
const leavingUnread = (idle: number, patience: number): Run => async (t, options) => {
  const answers: ServerResponse[] = []
  const prepare = (app: FastifyInstance) => app.addHook('onRequest', async (_request, reply) => { answers.push(reply.raw) })
  const target = await startTarget(t, { ...options, timeouts: { idle }, prepare })
  const { fileId } = await target.storage.create('txt', Buffer.alloc(64 * MIB))
  begin(t, 'GET', target.urls.download(fileId)).pause()
  while (answers.length === 0) await delay(25)
  for (let waited = 0; waited < patience && !answers[0]!.closed; waited += 25) await delay(25)
  return !answers[0]!.closed
}

const unread: AlwaysStopped = {
  title: 'keeps files and connections open with downloads that are not read',
  has: 'a link to a document of their own',
  because: '`timeouts.idle`',
  run: leavingUnread(100, PATIENCE_MS),
  control: leavingUnread(60_000, CONTROL_MS)
}

export const bodies = [
  withoutFile('has bodies of 4 MiB read and parsed with POST requests that name no document', () => ({})),
  withoutFile('has bodies of 4 MiB read and parsed with POST requests that have an empty fileId', () => ({ fileId: '' })),
  unsigned,
  decoding,
  drip,
  line,
  unread
] as const
