import t from 'tap'
import { getDocumentProxy } from 'unpdf'
import { openEditable } from '../../../lib/documents/open.js'
import { connect } from '../../hostile/page.js'
import { fixture, postSigned, sign, startBoth, startDocumentServer, startFakeHost, startWithClock } from '../../support.js'

t.test('status 6 by the button goes to the user who pressed it, who is in its actions; its users is the user who changed last; it has no notmodified', async t => {
  const { host, server } = await startBoth(t)
  const ada = await server.open(host.config('K', { user: { id: 'ada', name: 'Ada' }, callback: '/cb?of=ada' }))
  const grace = await server.open(host.config('K', { user: { id: 'grace', name: 'Grace' }, callback: '/cb?of=grace' }))
  await ada.edit('changed')
  t.match(await grace.forceSave(), { status: 6, accepted: true })
  const { path, body } = host.received.at(-1)!
  t.equal(path, '/cb?of=grace')
  t.match(body, { users: ['ada'], actions: [{ type: 2, userid: 'grace' }], forcesavetype: 1 })
  t.strictSame(Object.keys(body!),
    ['key', 'status', 'url', 'changesurl', 'history', 'users', 'actions', 'lastsave', 'forcesavetype', 'token', 'filetype'])

  await grace.forceSave({ type: 'timer' })
  t.equal(host.callbacks(6).length, 1, 'nothing new, nothing sent')
  await ada.edit('changed again')
  await grace.forceSave({ type: 'timer' })
  t.equal(host.received.at(-1)!.path, '/cb?of=ada', 'without a button it is of the last who changed')
  t.match(host.callbacks(6).at(-1), { users: ['ada'], actions: undefined, forcesavetype: 2 })
})

t.test('only the user who pressed the button is told that the force save started, with code 4 if nothing is new; all editors are told the result', async t => {
  const { host, server, clock } = await startWithClock(t)
  const [ada, grace, vera] = await Promise.all([
    server.open(host.config('K')), server.open(host.config('K', { user: { id: 'grace', name: 'Grace' } })),
    server.open(host.config('K', { user: { id: 'vera', name: 'Vera' }, mode: 'view' }))
  ])
  const told = (session: typeof ada) => session!.events.filter(({ type }) => type.startsWith('forceSave'))
  t.match(await ada!.forceSave(), { status: null })
  t.strictSame(told(ada!), [{ type: 'forceSaveStarted', code: 4 }])

  await ada!.edit('changed')
  server.fault('assembly', { type: 'slow', ms: 1000 })
  const saving = ada!.forceSave()
  await clock.advance(500)
  t.strictSame(told(ada!).slice(1), [{ type: 'forceSaveStarted' }])
  t.match(await grace!.forceSave(), { status: null }, 'an equal one is under way')
  await clock.advance(500)
  t.match(await saving, { status: 6, accepted: true })
  t.strictSame(told(ada!).slice(2), [{ type: 'forceSaved', accepted: true }])
  t.strictSame(told(grace!), [{ type: 'forceSaveStarted', code: 4 }, { type: 'forceSaved', accepted: true }])
  t.strictSame(told(vera!), [], 'a viewer is told nothing')
})

t.test('status 7 of a corrupted result has url, changesurl, history and filetype, and is sent again with encrypted false whatever the answer', async t => {
  const { host, server } = await startBoth(t)
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  await session.edit('changed')
  server.fault('assembly', { type: 'fail', corrupted: true })
  t.match(await session.forceSave(), { status: 7, accepted: true })
  t.match(await session.nextEvent('forceSaved'), { accepted: false })
  t.match(await session.forceSave(), { status: 7 })
  const [first, second] = host.callbacks(7)
  t.strictSame(Object.keys(first!), ['key', 'status', 'url', 'changesurl', 'history', 'users', 'actions', 'lastsave', 'forcesavetype', 'filetype'])
  t.equal(second!.encrypted, false)
  t.equal(new URL(String(second!.url)).pathname, new URL(String(first!.url)).pathname)
  t.match(await session.close(), { status: 2, accepted: true })
  t.match(host.callbacks(2), [{ notmodified: false }])
})

t.test('a form can be submitted repeatedly and without a change: each time a status 6 goes to the user who submits it', async t => {
  const { host, server } = await startBoth(t)
  const grace = await server.open(host.config('K', { user: { id: 'grace', name: 'Grace' }, callback: '/cb?of=grace' }))
  await server.open(host.config('K'))
  t.match(await grace.forceSave({ type: 'form' }), { status: 6, accepted: true })
  t.match(await grace.forceSave({ type: 'form' }), { status: 6, accepted: true })
  t.equal(host.received.at(-1)!.path, '/cb?of=grace')
  const [first, second] = host.callbacks(6)
  t.match(first, { users: ['grace'], actions: [{ type: 2, userid: 'grace' }], history: { changes: [{ user: { id: 'grace' } }] }, encrypted: undefined })
  t.match(second, { encrypted: false })
  t.match(await grace.forceSave(), { status: null }, 'the button has nothing new to save')
})

t.test('a viewer can submit a form, of any document, with any JSON, while nobody edits: the change is theirs', async t => {
  const { host, server } = await startBoth(t)
  const vera = await server.open(host.config('K', { mode: 'view', user: { id: 'vera', name: 'Vera' }, callback: '/cb?of=vera' }))
  for (const formData of [{ approved: true }, [], 'a text', 5, null, [{ key: 'toString', value: 1 }]]) {
    t.match(await vera.forceSave({ type: 'form', formData }), { status: 6, accepted: true })
    const { path, body } = host.received.at(-1)!
    t.equal(path, '/cb?of=vera')
    t.match(body, { users: ['vera'], actions: [{ type: 2, userid: 'vera' }], forcesavetype: 3, history: { changes: [{ user: { id: 'vera', name: 'Vera' } }] } })
    t.match(body!.changesurl, /\/changes\.zip\?/)
    t.strictSame(Object.keys(body!).slice(-3), ['token', 'formsdataurl', 'filetype'])
    t.same(await (await fetch(String(body!.formsdataurl))).json(), formData)
  }
  await vera.close()
  t.strictSame(host.statuses(), Array.from({ length: 6 }, () => 6))
})

t.test('a page can submit any JSON for any document, a viewer too', async t => {
  const { host, server } = await startBoth(t)
  const page = await connect(t, server)
  page.send({ type: 'open', config: host.config('K', { mode: 'view' }) })
  page.send({ type: 'submit', id: 1, formData: { approved: true } })
  t.match(await page.message({ type: 'answer' }), { result: { accepted: true } })
  const { body } = host.received.at(-1)!
  t.match(body, { status: 6, forcesavetype: 3, actions: [{ type: 2, userid: 'uid-1' }] })
  t.same(await (await fetch(String(body!.formsdataurl))).json(), { approved: true })
})

t.test('no form is submitted while the status 2 is under way, nor after it was accepted', async t => {
  const { host, server } = await startBoth(t)
  const viewer = await server.open(host.config('K', { mode: 'view', user: { id: 'vera', name: 'Vera' } }))
  const session = await server.open(host.config('K'))
  await session.edit('changed')
  host.beforeAnswer = async ({ status }) => {
    if (status === 2) t.match(await viewer.forceSave({ type: 'form' }), { status: null })
  }
  t.match(await session.close(), { status: 2, accepted: true })
  t.match(await viewer.forceSave({ type: 'form' }), { status: null })
  t.strictSame(host.statuses(), [1, 2])
})

t.test('the document of a submitted form has no fields any more; every other save has them', async t => {
  const host = await startFakeHost(t)
  host.files.set('/files/form.pdf', fixture('leave-request.pdf'))
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K', { name: 'form.pdf' }))
  const saved = async () => {
    const bytes = Buffer.from(await (await fetch(String(host.callbacks(6).at(-1)!.url))).arrayBuffer())
    const pdf = await getDocumentProxy(Uint8Array.from(bytes))
    const pages = await Promise.all(Array.from({ length: pdf.numPages }, async (_, index) => await (await pdf.getPage(index + 1)).getAnnotations()))
    const fields = (pages.flat() as Array<Record<string, unknown>>).filter(({ fieldType }) => fieldType)
    return [pdf.numPages, openEditable('pdf', bytes).view().kind, fields.length]
  }
  await session.forceSave({ type: 'form' })
  t.strictSame(await saved(), [2, 'readonly', 0])
  await session.edit(Buffer.concat([fixture('leave-request.pdf'), Buffer.from('\n')]))
  await session.forceSave({ type: 'form' })
  t.strictSame(await saved(), [2, 'readonly', 0])
  await session.forceSave()
  t.strictSame(await saved(), [2, 'form', 8])
})

t.test('a submitted form does not save the changes: the button still saves them, and the status 2 has notmodified false', async t => {
  const { host, server } = await startBoth(t)
  const session = await server.open(host.config('K'))
  await session.edit('filled in')
  await session.forceSave()
  t.match(await session.forceSave({ type: 'form' }), { status: 6 })
  t.match(await session.forceSave(), { status: 6 })
  t.match(host.callbacks(6), [{ forcesavetype: 1 }, { forcesavetype: 3 }, { forcesavetype: 1, encrypted: undefined }])
  await session.forceSave({ type: 'form' })
  await session.close()
  t.match(host.callbacks(2), [{ notmodified: false }])
})

t.test('without any callbackUrl nothing is force-saved: the command answers 4, and so does the button', async t => {
  const { host, server } = await startBoth(t)
  const { token, ...config } = host.config('K')
  const silent = { ...config, editorConfig: { ...config.editorConfig, callbackUrl: '' } }
  const session = await server.open({ ...silent, token: sign(silent) })
  await session.edit('changed')
  t.strictSame(await (await postSigned(`${server.url}/command`, { c: 'forcesave', key: 'K' })).json(), { key: 'K', error: 4 })
  await session.forceSave()
  t.match(await session.nextEvent('forceSaveStarted'), { code: 4 })
  t.equal(server.forgotten.size, 0)
  await session.close()
  t.equal(server.forgotten.size, 0)
})
