import t from 'tap'
import { fakeClock } from 'onlyoffice-emulator'
import { fixture, postSigned } from '../../../emulator/test/support.js'
import { CONTENT, expectRight, startSaved } from '../support.js'

const ORIGIN = 'http://files.example.invalid:8080'

t.test('a callback names its files at another origin, with unchanged path and signature', async t => {
  const { host, server, session } = await startSaved(t)
  server.fault('callback', { type: 'origin', origin: ORIGIN })
  await session.edit('moved')
  await session.forceSave({ type: 'form', formData: { name: 'value' } })
  const { body } = host.received.at(-1)!
  for (const field of ['url', 'changesurl', 'formsdataurl']) {
    const address = new URL(String(body![field]))
    t.equal(address.origin, ORIGIN, field)
    const response = await fetch(server.url + address.pathname + address.search)
    t.equal(response.status, 200, `${field} is good at the right origin`)
    await response.arrayBuffer()
  }
  await session.edit(CONTENT)
  await session.forceSave()
  await expectRight(t, String(host.received.at(-1)!.body!.url))
})

t.test('each attempt to send a save counts as a separate call', async t => {
  const { host, server, session } = await startSaved(t, { clock: fakeClock({ autoAdvance: true }) })
  host.answers[2] = { status: 500 }
  server.fault('callback', { type: 'origin', origin: ORIGIN }, { times: 2 })
  await session.edit('moved')
  await session.close()
  const origins = host.received.filter(({ body }) => body?.status === 2).map(({ body }) => new URL(String(body!.url)).origin)
  t.strictSame(origins, [ORIGIN, ORIGIN, server.url, server.url])
})

for (const path of ['/converter', '/ConvertService.ashx']) {
  t.test(`${path} names its result at another origin`, async t => {
    const { host, server } = await startSaved(t, { clock: fakeClock({ autoAdvance: true }) })
    const request = { filetype: 'docx', outputtype: 'txt', key: 'C', title: 'a.docx', url: `${host.origin}/files/report.docx` }
    const urlIn = async () => /https?:[^"<]*/.exec(await (await postSigned(server.url + path, request)).text())![0].replaceAll('&amp;', '&')
    server.fault('converter', { type: 'origin', origin: ORIGIN })
    const moved = new URL(await urlIn())
    t.equal(moved.origin, ORIGIN)
    const right = new URL(await urlIn())
    t.equal(right.origin, server.url)
    t.equal(moved.pathname, right.pathname)
    const response = await fetch(server.url + moved.pathname + moved.search)
    t.equal(response.status, 200)
    t.notSame(Buffer.from(await response.arrayBuffer()), fixture('report.docx'))
  })
}
