import t from 'tap'
import type { DocumentServerError, EditorConfig } from '../../../lib/index.js'
import { protectedFile } from '../../protected.js'
import { fixture, postSigned, sign, startDocumentServer, startFakeHost } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  /** Which code an opening fails with, and what the editor was told. */
  async function refused (config: EditorConfig): Promise<{ code: number | null, events: unknown }> {
    return await server.open(config).then(() => { throw new Error('It opened') },
      ({ code, events }: DocumentServerError) => ({ code, events: events?.map(({ type }) => type) }))
  }
  const failed = (code: number) => ({ code, events: ['joined', 'failed'] })
  return { host, server, refused, failed }
}

t.test('a document that needs a password opens with -90, and any time later with the password removed', async t => {
  const { host, server, refused, failed } = await start(t)
  const whole = host.files.get('/files/report.docx')!
  host.files.set('/files/report.docx', protectedFile(whole, 'secret'))
  t.strictSame(await refused(host.config('K')), failed(-90))
  t.strictSame(host.statuses(), [1, 4])
  host.files.set('/files/report.docx', whole)
  t.strictSame(await (await server.open(host.config('K'))).content(), whole)
})

t.test('rubbish in the place of an office document opens with -80; other formats are read by their content', async t => {
  const { host, server, refused, failed } = await start(t)
  for (const type of ['docx', 'xlsx', 'pptx', 'docm', 'odt', 'ods', 'odp']) {
    host.files.set(`/files/a.${type}`, Buffer.from('This is no document'))
    t.strictSame(await refused(host.config(type, { name: `a.${type}` })), failed(-80), type)
  }
  for (const content of [fixture('report.docx'), Buffer.from('%PDF-1.7'), Buffer.from('{\\rtf1}'), Buffer.from('\n<html>'), Buffer.from([])]) {
    host.files.set('/files/b.docx', content)
    await t.resolves(server.open(host.config(`b${content.length}`, { name: 'b.docx' })))
  }
  host.files.set('/files/c.txt', Buffer.from('This is text'))
  await t.resolves(server.open(host.config('c', { name: 'c.txt' })))
})

t.test('a failed opening conversion stays with the key for good, without another download; a new key opens', async t => {
  const { host, server, refused, failed } = await start(t)
  server.fault('opening', { type: 'error', error: -82 })
  t.strictSame(await refused(host.config('K')), failed(-82))
  const downloads = () => host.received.filter(({ method }) => method === 'GET').length
  for (const mode of ['edit', 'view']) t.strictSame(await refused(host.config('K', { mode })), failed(-82), mode)
  t.equal(downloads(), 1)
  t.strictSame(host.statuses(), [1, 4, 1, 4])
  t.match(await (await server.open(host.config('L'))).close(), { status: 4 })
})

t.test('an editor has joined before it is told that the download failed', async t => {
  const { host, refused, failed } = await start(t)
  host.routes.set('/files/report.docx', (_request, response) => { response.socket!.resetAndDestroy() })
  t.strictSame(await refused(host.config('K')), failed(-81))
})

t.test('an editor has joined before it is warned that its 1 was cut off, and is warned of a refused one before', async t => {
  const { host, server } = await start(t)
  const types = async (key: string) => (await server.open(host.config(key))).events.map(({ type }) => type)
  host.answers[1] = { body: '{"error":1}' }
  t.strictSame(await types('K'), ['warning', 'joined', 'ready'])
  host.routes.set('/cb', (_request, response) => { response.socket!.resetAndDestroy() })
  t.strictSame(await types('L'), ['joined', 'warning', 'ready'])
})

t.test('a relative callbackUrl opens with a warning', async t => {
  const { host, server } = await start(t)
  const { token, ...config } = host.config('K')
  const relative = { ...config, editorConfig: { ...config.editorConfig, callbackUrl: '/cb?f=1' } }
  const session = await server.open({ ...relative, token: sign(relative) })
  t.match(await session.nextEvent('warning'), { message: 'Error on save server subscription!' })
  t.strictSame(host.statuses(), [])
})

t.test('for an editor with an empty user.id no 4 is sent either', async t => {
  const { host, server } = await start(t)
  const session = await server.open(host.config('K', { user: { id: '', name: '' } }))
  t.match(await session.close(), { status: null })
  t.strictSame(host.statuses(), [1])
})

t.test('an editor for viewing only that sends a change is told 4004 and disconnected', async t => {
  const { host, server } = await start(t)
  const session = await server.open(host.config('K', { mode: 'view' }))
  await t.rejects(session.edit('no'), { name: 'DocumentServerError', code: 4004 })
  t.match(session.events.slice(-2), [{ type: 'failed', code: 4004, description: 'access deny' }, { type: 'disconnected' }])
  t.strictSame(await (await postSigned(`${server.url}/command`, { c: 'forcesave', key: 'K' })).json(), { key: 'K', error: 4 })
  t.strictSame(host.statuses(), [])
})

t.test('of two editors that close in the same instant the 1 has no users', async t => {
  const { host, server } = await start(t)
  const editors = []
  for (const id of ['ada', 'grace']) editors.push(await server.open(host.config('K', { user: { id, name: id } })))
  await Promise.all(editors.map(async editor => await editor.close()))
  t.match(host.callbacks().slice(2), [{ status: 1, users: [], actions: [{ userid: 'ada' }] }, { status: 4, actions: [{ userid: 'grace' }] }])
})

t.test('an editor whose connection is cut right after its close hears nothing of the save', async t => {
  const { host, server } = await start(t)
  const session = await server.open(host.config('K'))
  await session.edit('changed')
  const closed = session.close()
  await session.disconnect()
  t.match(await closed, { status: 2, accepted: true })
  t.equal(session.events.at(-1)!.type, 'disconnected')
})
