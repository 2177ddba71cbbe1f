import t from 'tap'
import { fakeClock, type Session } from '../../../lib/index.js'
import { startDocumentServer, startFakeHost } from '../../support.js'

t.test('after an accepted 2 the key is view-only for 5 minutes, then the document is downloaded again', async t => {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
  const config = host.config('K', { name: 'notes.txt' })
  const session = await server.open(config)
  await session.edit('saved')
  await session.close()
  host.files.set('/files/notes.txt', Buffer.from('what the host stored'))
  const before = host.received.length

  await clock.advance(299_999)
  const viewing = await server.open(config)
  t.match(await viewing.nextEvent('ready'), { outdated: true })
  t.equal(viewing.viewOnly, true)
  await t.rejects(viewing.edit('no'), { code: 4004 })
  await viewing.close()
  t.equal(host.received.length, before, 'no callback, no download')

  await clock.advance(1)
  const later = await server.open(config)
  t.equal(later.viewOnly, false)
  t.equal((await later.content()).toString(), 'what the host stored')
})

const uses: Record<
  string,
  (
    session: Session,
    host: Awaited<ReturnType<typeof startFakeHost>>,
    server: Awaited<ReturnType<typeof startDocumentServer>>
  ) => Promise<unknown>
> = {
  'a 4': async session => await session.close(),
  'a 6 and a 2 that was refused': async (session, host) => {
    host.answers[2] = { body: '{"error":1}' }
    await session.edit('changed')
    await session.forceSave()
    await session.close()
  },
  'a 7 and a 3 that was refused': async (session, host, server) => {
    host.answers[3] = { body: '{"error":1}' }
    await session.edit('changed')
    server.fault('assembly', { type: 'fail' }, { times: 2 })
    await session.forceSave()
    await session.close()
  }
}

for (const [title, use] of Object.entries(uses)) {
  t.test(`after ${title} the same key continues to be edited, without a download`, async t => {
    const host = await startFakeHost(t)
    const server = await startDocumentServer(t)
    const config = host.config('K', { name: 'notes.txt' })
    const session = await server.open(config)
    await use(session, host, server)
    host.answers = {}
    const text = (await session.content()).toString()

    const again = await server.open({ ...config })
    t.equal(again.viewOnly, false)
    t.equal((await again.content()).toString(), text)
    await again.edit('changed further')
    t.match(await again.close(), { status: 2, accepted: true })
    t.equal(host.received.filter(({ method }) => method === 'GET').length, 1)
  })
}

t.test('an editor that joins during a session, after a 1 or a 6, is in the same document', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const ada = await server.open(host.config('K', { name: 'notes.txt' }))
  await ada.edit('by Ada')
  await ada.forceSave()
  const grace = await server.open(host.config('K', { name: 'notes.txt', user: { id: 'grace', name: 'Grace' } }))
  t.equal((await grace.content()).toString(), 'by Ada')
  await grace.edit('by Grace')
  t.equal((await ada.content()).toString(), 'by Grace')
})

t.test('a viewer of a key whose 2 was accepted keeps seeing what it was opened with until an editor opens it anew', async t => {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
  const open = async (mode: string) => await server.open(host.config('K', { name: 'notes.txt', mode }))
  const original = host.files.get('/files/notes.txt')!.toString()
  const [cutOff, session] = [await open('view'), await open('edit')]
  await session.edit('saved')
  await cutOff.disconnect()
  await session.close()
  host.files.set('/files/notes.txt', Buffer.from('what the host stored'))
  const before = host.received.length

  await cutOff.reconnect()
  for (const outdated of [await open('edit'), await open('edit')]) {
    const { users } = await outdated.nextEvent('joined')
    t.strictSame(users.map(({ viewOnly }) => viewOnly), [true], 'the viewer is connected, the editor of a used key is not')
  }
  for (const minutes of [0, 10]) {
    await clock.advance(minutes * 60_000)
    const viewer = await open('view')
    t.match(await viewer.nextEvent('ready'), { outdated: false })
    t.match(await viewer.nextEvent('joined'), { users: [{ viewOnly: true }, { viewOnly: true }] })
    t.equal((await viewer.content()).toString(), original)
    await viewer.close()
  }
  t.equal(host.received.length, before, 'no callback, no download')
  t.equal((await (await open('edit')).content()).toString(), 'what the host stored')
})
