import t from 'tap'
import { startDocumentServer, startFakeHost } from '../../support.js'

const NOBODY = { id: '', name: '' }

t.test('for an editor with an empty user.id a status 1 is sent and never a status 2: the edit becomes a forgotten file at once', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K', { name: 'notes.txt', user: NOBODY }))
  t.match(await session.nextEvent('joined'), { users: [{ id: '', name: 'Anonymous' }] })
  await session.edit('kept')
  t.strictSame(await session.close(), { status: null, httpStatus: null, answer: null, accepted: false })
  t.match(await session.nextEvent('saved'), { accepted: false })
  t.strictSame(host.callbacks(), [{ key: 'K', status: 1, users: [''], actions: [{ type: 1, userid: '' }] }])
  t.equal(Buffer.from(server.forgotten.get('K')!.bytes).toString(), 'kept')
})

t.test('a status 2 lists, of the users who changed last and left last, those with an id', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const saved = async (key: string, order: 'editor leaves first' | 'editor leaves last') => {
    const nobody = await server.open(host.config(key, { user: NOBODY }))
    const ada = await server.open(host.config(key, { user: { id: 'ada', name: 'Ada' } }))
    const [changer, other] = order === 'editor leaves first' ? [nobody, ada] : [ada, nobody]
    await changer.edit('changed')
    await changer.close()
    t.match(await other.close(), { status: 2, accepted: true })
    const { users, actions } = host.callbacks(2).at(-1)!
    t.strictSame({ users, actions }, { users: ['ada'], actions: [{ type: 0, userid: 'ada' }] })
  }
  await saved('K', 'editor leaves first')
  await saved('L', 'editor leaves last')
})
