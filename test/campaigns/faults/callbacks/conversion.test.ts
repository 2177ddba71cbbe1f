import t from 'tap'
import { fakeClock } from 'onlyoffice-emulator'
import { startUpstream } from '../../../kit/http.js'
import { postSigned, startDocumentServer, startFakeHost } from '../../../../emulator/test/support.js'

async function startConverting (t: Parameters<typeof startFakeHost>[0]) {
  const host = await startFakeHost(t)
  const clock = fakeClock({ autoAdvance: true })
  const server = await startDocumentServer(t, { clock })
  const convert = async (changes: object = {}): Promise<Record<string, unknown>> => {
    const request = { filetype: 'docx', outputtype: 'txt', key: 'C', title: 'a.docx', url: `${host.origin}/files/report.docx`, ...changes }
    return await (await postSigned(`${server.url}/converter`, request)).json() as Record<string, unknown>
  }
  return { host, clock, server, convert }
}

t.test('slow: a synchronous request is answered after the given delay', async t => {
  const { clock, server, convert } = await startConverting(t)
  server.fault('conversion', { type: 'slow', ms: 30_000 })
  const before = clock.now()
  t.match(await convert(), { endConvert: true })
  t.ok(clock.now() - before >= 30_000, `${clock.now() - before} ms`)
  const slow = clock.now()
  t.match(await convert({ key: 'D' }), { endConvert: true })
  t.equal(clock.now() - slow, 1000, 'the next conversion is as fast as ever')
})

t.test('slow: a synchronous request is abandoned after two minutes; a later request gets the result', async t => {
  const { clock, server, convert } = await startConverting(t)
  server.fault('conversion', { type: 'slow', ms: 130_000 })
  const before = clock.now()
  t.strictSame(await convert(), { error: -2 })
  t.equal(clock.now() - before, 120_000)
  await clock.advance(10_000)
  t.match(await convert(), { endConvert: true })
})

t.test('slow: asynchronous requests are answered as pending until the delay has passed', async t => {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
  const ask = async () => {
    const request = { async: true, filetype: 'docx', outputtype: 'txt', key: 'C', title: 'a.docx', url: `${host.origin}/files/report.docx` }
    return await (await postSigned(`${server.url}/converter`, request)).json()
  }
  server.fault('conversion', { type: 'slow', ms: 5000 })
  const pending = { percent: 0, endConvert: false }
  t.strictSame(await ask(), pending)
  await clock.advance(4999)
  t.strictSame(await ask(), pending)
  await clock.advance(1)
  t.match(await ask(), { percent: 100, endConvert: true, fileUrl: String })
  t.equal(host.received.length, 1, 'the source was downloaded once')
})

for (let error = -1; error >= -10; error--) {
  t.test(`error: ${error} is answered, and ${error === -3 ? 'stays' : 'not a second time'}`, async t => {
    const { server, convert } = await startConverting(t)
    server.fault('conversion', { type: 'error', error })
    t.strictSame(await convert(), { error })
    t.match(await convert(), error === -3 ? { error } : { endConvert: true })
    t.match(await convert({ key: 'D' }), { endConvert: true }, 'another key is converted')
  })
}

t.test('a crash during a conversion leaves no error behind', async t => {
  const { server, convert } = await startConverting(t)
  let isFirst = true
  const source = await startUpstream(t, (_request, response) => {
    if (!isFirst) return response.end('a document')
    isFirst = false
    crashed = server.crash()
  })
  let crashed: Promise<void> | undefined
  const request = { filetype: 'txt', title: 'a.txt', outputtype: 'pdf', url: `${source.origin}/a.txt` }
  await t.rejects(convert(request), TypeError)
  await crashed
  await server.restart({ sessions: 'kept' })
  t.match(await convert(request), { endConvert: true })
  t.equal(source.requests.length, 2)
})
