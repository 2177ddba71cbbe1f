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
  t.match(await viewing.event('ready'), { outdated: true })
  t.equal(viewing.viewOnly, true)
  await t.rejects(viewing.edit('no'), TypeError)
  await viewing.close()
  t.equal(host.received.length, before, 'no callback, no download')

  await clock.advance(1)
  const later = await server.open(config)
  t.equal(later.viewOnly, false)
  t.equal((await later.content()).toString(), 'what the host stored')
})

const uses: Record<string, (session: Session, host: Awaited<ReturnType<typeof startFakeHost>>, server: Awaited<ReturnType<typeof startDocumentServer>>) => Promise<unknown>> = {
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
  t.test(`after ${title} the same key is edited on, without a download`, async t => {
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

t.test('who joins during a session, after a 1 or a 6, is in the same document', async t => {
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
