import t from 'tap'
import { postSigned, startDocumentServer, startFakeHost } from '../../support.js'

t.test('a key with a forgotten copy opens as that copy, nothing is downloaded, and closing sends 2 again', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const config = host.config('K', { name: 'notes.txt' })
  host.answers[2] = { body: '{"error":1}' }
  const session = await server.open(config)
  await session.edit('not to be lost')
  await session.close()
  const downloads = () => host.received.filter(({ method }) => method === 'GET').length

  const refusedAgain = await server.open(config)
  t.match(await refusedAgain.nextEvent('joined'), { hasForgotten: true })
  t.equal((await refusedAgain.content()).toString(), 'not to be lost')
  t.match(await refusedAgain.close(), { status: 2, accepted: false })
  t.equal(server.forgotten.size, 1, 'kept again')

  host.answers = {}
  const changed = await server.open(config)
  await changed.edit('and more')
  t.match(await changed.close(), { status: 2, accepted: true })
  t.equal(await (await fetch(String(host.callbacks(2).at(-1)!.url))).text(), 'and more')
  t.equal(downloads(), 1, 'the first opening only')
})

t.test('after a 2 from a forgotten copy was accepted the key opens at once, with a new download', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const config = host.config('K', { name: 'notes.txt' })
  host.answers[2] = { status: 404, body: '' }
  const session = await server.open(config)
  await session.edit('not to be lost')
  await session.close()
  host.answers = {}
  t.match(await (await server.open(config)).close(), { status: 2, accepted: true })

  host.files.set('/files/notes.txt', Buffer.from('what the host stored'))
  const next = await server.open(config)
  t.equal(next.viewOnly, false)
  t.equal((await next.content()).toString(), 'what the host stored')
  await next.edit('editable')
  t.match(await next.close(), { status: 2 })
})

/** A document whose finished save was refused. */
async function forgotten (t: Parameters<typeof startFakeHost>[0]) {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const open = async (mode = 'edit') => await server.open(host.config('K', { name: 'notes.txt', user: { id: mode, name: mode }, mode }))
  host.answers[2] = { body: '{"error":1}' }
  const session = await open()
  await session.edit('not to be lost')
  return { host, server, open, session, refuse: async () => await session.close() }
}

t.test('content from a forgotten copy that was edited has history {} and no changesurl, in a 6 and in a 2', async t => {
  const { host, open, refuse } = await forgotten(t)
  await refuse()
  host.answers = {}
  const session = await open()
  await session.edit('and more')
  t.match(await session.forceSave(), { status: 6, accepted: true })
  await session.edit('and still more')
  t.match(await session.close(), { status: 2, accepted: true })
  for (const body of [host.callbacks(6)[0]!, host.callbacks(2).at(-1)!]) {
    t.strictSame(body.history, {})
    t.notOk('changesurl' in body)
  }
  t.equal(host.callbacks(2).at(-1)!.notmodified, false)
})

t.test('an editor of a forgotten copy is warned, a viewer is not, and sees the copy', async t => {
  const { open, refuse } = await forgotten(t)
  await refuse()
  const viewer = await open('view')
  t.equal((await viewer.content()).toString(), 'not to be lost')
  t.match(await viewer.nextEvent('joined'), { hasForgotten: false })
  t.strictSame(viewer.events.filter(({ type }) => type === 'warning'), [])
  const editor = await open()
  t.match(await editor.nextEvent('joined'), { hasForgotten: true })
  t.match(await editor.nextEvent('warning'), { code: -201, message: 'File not assembled' })
})

t.test('a remaining viewer keeps nothing alive: the key opens as the forgotten copy, and after its accepted 2 from document.url', async t => {
  const { host, open, session, refuse } = await forgotten(t)
  const viewer = await open('view')
  await refuse()
  t.equal((await viewer.content()).toString(), 'not to be lost')
  host.answers = {}
  const second = await open()
  t.match(await second.nextEvent('joined'), { hasForgotten: true })
  t.match(await second.close(), { status: 2, accepted: true })

  host.files.set('/files/notes.txt', Buffer.from('what the host stored'))
  const third = await open()
  t.equal(third.viewOnly, false)
  t.equal((await third.content()).toString(), 'what the host stored')
  await third.edit('edited on')
  t.match(await viewer.nextEvent('changed'), { userId: 'edit' })
  await session.close()
})

t.test('the deletion of a forgotten copy that is being edited is not reported: a 4 without a change', async t => {
  const { host, server, open, refuse } = await forgotten(t)
  await refuse()
  const session = await open()
  await postSigned(`${server.url}/command`, { c: 'deleteForgotten', key: 'K' })
  t.match(await session.close(), { status: 4 })
  t.equal(host.statuses().at(-1), 4)
})
