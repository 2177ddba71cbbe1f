import t from 'tap'
import { startWithClock } from '../../support.js'

t.test('after an accepted 2 the key is view-only for 5 minutes, then the document is downloaded again', async t => {
  const { host, server, clock } = await startWithClock(t)
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

t.test('a viewer of a key whose 2 was accepted keeps seeing what it was opened with until an editor opens it anew', async t => {
  const { host, server, clock } = await startWithClock(t)
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
