import t from 'tap'
import { fakeClock } from 'onlyoffice-emulator'
import { fixture, postSigned } from '../../../../emulator/test/support.js'
import { CONTENT, expectRight, startSaved } from '../saved-file.js'

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

t.test('a proxy that hides the scheme or the host: every callback, conversion and forgotten file names the wrong origin', async t => {
  const { host, server, session } = await startSaved(t, { clock: fakeClock({ autoAdvance: true }) })
  for (const route of ['callback', 'converter', 'command'] as const) {
    server.fault(route, { type: 'origin', origin: ORIGIN }, { times: Infinity })
  }
  const urls = async (fields: object, path = '/command') =>
    Object.values(await (await postSigned(server.url + path, fields)).json() as object).filter(value =>
      /^http/.test(value)
    )
  for (const text of ['once', 'twice']) {
    await session.edit(text)
    await session.forceSave()
    t.equal(new URL(String(host.received.at(-1)!.body!.url)).origin, ORIGIN)
    const [url] = await urls({
      async: false,
      filetype: 'txt',
      key: text,
      outputtype: 'txt',
      title: 'a.txt',
      url: `${host.origin}/files/notes.txt`
    }, '/converter')
    t.equal(new URL(url).origin, ORIGIN)
  }
  host.answers[2] = { status: 404 }
  await session.edit('kept as a forgotten file')
  await session.close()
  for (let times = 0; times < 2; times++) {
    const [url] = await urls({ c: 'getForgotten', key: session.key })
    t.equal(new URL(url).origin, ORIGIN)
    const { pathname, search } = new URL(url)
    t.equal((await fetch(server.url + pathname + search)).status, 200)
  }
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

t.test('the document builder names all its files at another origin', async t => {
  const { host, server } = await startSaved(t, { clock: fakeClock({ autoAdvance: true }) })
  host.files.set('/files/script', Buffer.from('builder.CreateFile("docx"); builder.SaveFile("docx", "a.docx"); builder.SaveFile("txt", "b.txt")'))
  server.fault('builder', { type: 'origin', origin: ORIGIN })
  const { urls } = await (await postSigned(`${server.url}/docbuilder`, { url: `${host.origin}/files/script` })).json() as { urls: object }
  t.strictSame(Object.values(urls).map(url => new URL(url).origin), [ORIGIN, ORIGIN])
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
