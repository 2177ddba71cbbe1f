import t from 'tap'
import { postSigned, startBoth, startFakeHost } from '../../support.js'

/** A document whose finished save was refused. */
async function forgotten (t: Parameters<typeof startFakeHost>[0]) {
  const { host, server } = await startBoth(t)
  const open = async (mode = 'edit') => await server.open(host.config('K', { name: 'notes.txt', user: { id: mode, name: mode }, mode }))
  host.answers[2] = { body: '{"error":1}' }
  const session = await open()
  await session.edit('not to be lost')
  return { host, server, open, session, refuse: async () => await session.close() }
}

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
