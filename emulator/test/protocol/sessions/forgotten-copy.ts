import t from 'tap'
import { startDocumentServer, startFakeHost } from '../../support.js'

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
  t.match(await refusedAgain.event('joined'), { hasForgotten: true })
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
