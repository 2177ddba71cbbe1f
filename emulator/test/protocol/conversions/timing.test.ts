import t from 'tap'
import { fakeClock } from '../../../lib/index.js'
import { postSigned, startDocumentServer, startFakeHost } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
  const convert = async (changes: object = {}): Promise<Record<string, unknown>> => {
    const request = { async: false, filetype: 'txt', key: 'C', outputtype: 'pdf', title: 'a.txt', url: `${host.origin}/files/notes.txt`, ...changes }
    return await (await postSigned(`${server.url}/converter`, request)).json() as Record<string, unknown>
  }
  const nextTurn = async () => await new Promise(resolve => setImmediate(resolve))
  /** Milliseconds that request number `count` waits for its answer, in steps of a quarter second. */
  const answeredAfter = async (count: number) => {
    while (server.receivedRequests[count - 1]?.body == null) await nextTurn()
    await nextTurn()
    const before = clock.now()
    while (server.receivedRequests[count - 1]!.status === null) await clock.advance(250)
    return clock.now() - before
  }
  return { host, clock, server, convert, answeredAfter }
}

t.test('a synchronous request takes a second, and whole seconds if it takes longer', async t => {
  const { server, convert, answeredAfter } = await start(t)
  const quick = convert()
  t.equal(await answeredAfter(1), 1000)
  t.match(await quick, { endConvert: true })
  server.fault('conversion', { type: 'slow', ms: 1250 })
  const slow = convert({ key: 'D' })
  t.equal(await answeredAfter(2), 2000)
  t.match(await slow, { endConvert: true })
})

t.test('cached and refused requests are answered at once', async t => {
  const { convert, answeredAfter } = await start(t)
  const first = convert()
  await answeredAfter(1)
  t.match(await convert(), await first)
  t.strictSame(await convert({ outputtype: 'zzz' }), { error: -7 })
})

t.test('an asynchronous request is answered as pending, and the identical request gets the result when it is done', async t => {
  const { host, clock, server, convert } = await start(t)
  server.fault('conversion', { type: 'slow', ms: 3000 })
  t.strictSame(await convert({ async: true }), { percent: 0, endConvert: false })
  await clock.advance(2999)
  t.strictSame(await convert({ async: true }), { percent: 0, endConvert: false })
  await clock.advance(1)
  const done = await convert({ async: true })
  t.strictSame(Object.keys(done), ['fileUrl', 'fileType', 'percent', 'endConvert'])
  t.match(done, { fileType: 'pdf', percent: 100, endConvert: true })
  t.equal(host.received.length, 1)
})

t.test('a missing url answers -3 after a second', async t => {
  const { convert, answeredAfter } = await start(t)
  const refused = convert({ url: undefined })
  t.equal(await answeredAfter(1), 1000)
  t.strictSame(await refused, { error: -3 })
})
