import { createVerifier } from 'fast-jwt'
import t from 'tap'
import { fakeClock } from 'onlyoffice-emulator'
import { postSigned, SECRET, startDocumentServer, startFakeHost } from '../../../emulator/test/support.js'
import { startSaved } from './saved-file.js'

// What the emulated document server sends where a test has asked for a fault.

const OTHER = 'another-secret-0123456789abcdef0123456789'
const ORIGIN = 'http://files.example.invalid:8080'
const claimsOf = (token: unknown, key = SECRET) => createVerifier({ key, ignoreExpiration: true })(String(token)) as { iat: number, exp: number }

async function startEdited (t: Parameters<typeof startFakeHost>[0]) {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t, { clock: fakeClock({ autoAdvance: true }) })
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  await session.edit('what was edited')
  return { host, server, session }
}

t.test('duplicate: the callback is sent twice in a row, each time with tokens; the first answer counts', async t => {
  const { host, server, session } = await startEdited(t)
  let answered = 0
  host.beforeAnswer = async ({ status }) => {
    if (status === 2 && ++answered === 2) host.answers[2] = { body: '{"error":1}' }
  }
  server.fault('callback', { type: 'duplicate' })
  t.match(await session.close(), { status: 2, accepted: true })
  t.strictSame(host.statuses(), [1, 2, 2])
  const [first, second] = host.received.filter(({ body }) => body?.status === 2).map(({ body }) => ({ ...body, token: '' }))
  t.strictSame(second, first)
  t.equal(server.forgotten.size, 0)
})

t.test('reorder: a force save is held back until the next callback of its document has been answered', async t => {
  const { host, server, session } = await startEdited(t)
  server.fault('callback', { type: 'reorder' })
  t.strictSame(await session.forceSave(), { status: null, httpStatus: null, answer: null, accepted: false })
  const other = await server.open(host.config('L', { name: 'notes.txt' }))
  await other.close()
  t.strictSame(host.statuses(), [1, 1, 4])
  const answered: unknown[] = []
  host.beforeAnswer = async ({ status }) => { answered.push(status, host.statuses().length) }
  await session.edit('second')
  t.match(await session.close(), { status: 2, accepted: true })
  t.strictSame(answered, [2, 4, 6, 5], 'the 6 was sent after the 2 had been answered')
})

t.test('reorder: a finished save is never held back and does not use up the fault', async t => {
  const { host, server, session } = await startEdited(t)
  server.fault('callback', { type: 'reorder' })
  t.match(await session.close(), { status: 2, accepted: true })
  const other = await server.open(host.config('L', { name: 'notes.txt' }))
  t.strictSame(host.statuses(), [1, 2], 'the next callback is held back')
  await other.close()
  t.strictSame(host.statuses(), [1, 2, 4, 1])
})

for (const corrupted of [false, true]) {
  t.test(`assembly, corrupted ${corrupted}: a force save becomes status 7, with a URL only if the file is corrupted, and the finished save is intact`, async t => {
    const { host, server, session } = await startEdited(t)
    server.fault('assembly', { type: 'fail', corrupted })
    t.match(await session.forceSave({ userdata: 'mine' }), { status: 7, accepted: true })
    t.match(host.received.at(-1)!.body, { status: 7, userdata: 'mine', forcesavetype: 1, url: corrupted ? String : undefined })
    t.match(session.events.at(-1), { type: 'forceSaved', accepted: false })
    t.match(await session.close(), { status: 2, accepted: true })
    t.strictSame(host.statuses(), [1, 7, 2])
  })
}

t.test('assembly, corrupted: status 3 has the URL of the corrupted file, which is kept when the application refuses it', async t => {
  const { host, server, session } = await startEdited(t)
  server.fault('assembly', { type: 'fail', corrupted: true })
  host.answers[3] = { body: '{"error":1}' }
  await session.close()
  const { body } = host.received.at(-1)!
  t.match(body, { status: 3, url: String })
  const bad = await (await fetch(String(body!.url))).text()
  t.equal(bad, 'what was edited'.slice(0, 7))
  t.equal(Buffer.from(server.forgotten.get('K')!.bytes).toString(), bad)
})

t.test('conversion: slow delays a result, error is answered once, and another key is converted', async t => {
  const host = await startFakeHost(t)
  const clock = fakeClock({ autoAdvance: true })
  const server = await startDocumentServer(t, { clock })
  const convert = async (key: string) => {
    const request = { filetype: 'docx', outputtype: 'txt', key, title: 'a.docx', url: `${host.origin}/files/report.docx` }
    return await (await postSigned(`${server.url}/converter`, request)).json()
  }
  server.fault('conversion', { type: 'slow', ms: 30_000 })
  const before = clock.now()
  t.match(await convert('slow'), { endConvert: true })
  t.ok(clock.now() - before >= 30_000, `${clock.now() - before} ms`)
  server.fault('conversion', { type: 'slow', ms: 130_000 })
  t.strictSame(await convert('too-slow'), { error: -2 })
  await clock.advance(10_000)
  t.match(await convert('too-slow'), { endConvert: true }, 'a later request gets the result')
  for (const error of [-1, -3]) {
    server.fault('conversion', { type: 'error', error })
    t.strictSame(await convert(`${error}`), { error })
    t.match(await convert(`${error}`), error === -3 ? { error } : { endConvert: true })
    t.match(await convert(`other${error}`), { endConvert: true })
  }
})

t.test('origin: callbacks, conversions, commands and builds name their files at another origin, with unchanged path and signature', async t => {
  const { host, server, session } = await startSaved(t, { clock: fakeClock({ autoAdvance: true }) })
  for (const route of ['callback', 'converter', 'command', 'builder'] as const) {
    server.fault(route, { type: 'origin', origin: ORIGIN }, { times: Infinity })
  }
  const urls: unknown[] = []
  const ask = async (path: string, fields: object) => {
    const text = await (await postSigned(server.url + path, fields)).text()
    urls.push(/https?:[^"<]*/.exec(text)?.[0].replaceAll('&amp;', '&'))
  }
  await session.edit('moved')
  await session.forceSave({ type: 'form', formData: { name: 'value' } })
  const { body } = host.received.at(-1)!
  urls.push(body!.url, body!.changesurl, body!.formsdataurl)
  const conversion = { filetype: 'docx', outputtype: 'txt', key: 'C', title: 'a.docx', url: `${host.origin}/files/report.docx` }
  for (const path of ['/converter', '/ConvertService.ashx']) await ask(path, conversion)
  host.files.set('/files/script', Buffer.from('builder.CreateFile("docx"); builder.SaveFile("docx", "a.docx")'))
  await ask('/docbuilder', { url: `${host.origin}/files/script` })
  host.answers[2] = { status: 404 }
  await session.edit('kept as a forgotten file')
  await session.close()
  await ask('/command', { c: 'getForgotten', key: session.key })
  t.equal(urls.length, 7)
  for (const url of urls) {
    const { origin, pathname, search } = new URL(String(url))
    t.equal(origin, ORIGIN)
    const response = await fetch(server.url + pathname + search)
    await response.arrayBuffer()
    t.equal(response.status, 200, `${pathname} is good at the right origin`)
  }
})

t.test('each attempt to send a save counts as a call of its own', async t => {
  const { host, server, session } = await startEdited(t)
  host.answers[2] = { status: 500 }
  server.fault('callback', { type: 'origin', origin: ORIGIN }, { times: 2 })
  await session.close()
  const origins = host.received.filter(({ body }) => body?.status === 2).map(({ body }) => new URL(String(body!.url)).origin)
  t.strictSame(origins, [ORIGIN, ORIGIN, server.url, server.url])
})

t.test('skewTokens: tokens are dated and verified by the skewed clock until the skew is removed', async t => {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
  const now = Math.floor(clock.now() / 1000)
  for (const [key, seconds, error] of [['A', -300, 0], ['B', 45, 0], ['C', 3600, 7], ['D', 0, 0]] as const) {
    server.skewTokens(seconds * 1000)
    t.match(await (await postSigned(`${server.url}/command`, { c: 'version', exp: now + 10 })).json(), { error }, `${seconds} s`)
    if (error !== 0) continue
    const session = await server.open(host.config(key, { name: 'notes.txt' }))
    const joined = host.received.find(({ body }) => body?.key === key)!
    for (const token of [joined.body!.token, joined.headers.authorization!.slice(7)]) {
      const { iat, exp } = claimsOf(token)
      t.strictSame([iat, exp], [now + seconds, now + seconds + 300], `${seconds} s`)
    }
    await session.close()
  }
})

t.test('changeSecret: the first secret of a list signs, all of them are accepted, others are not', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  server.changeSecret([OTHER, SECRET])
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  t.ok(claimsOf(host.received[0]!.body!.token, OTHER))
  server.changeSecret(OTHER)
  await t.rejects(server.open(host.config('L', { name: 'notes.txt' })), { code: 4006, message: 'token:invalid signature' })
  t.match(await (await postSigned(`${server.url}/command`, { c: 'version' })).json(), { error: 6 })
  await session.close()
  t.throws(() => claimsOf(host.received.at(-1)!.body!.token))
})
