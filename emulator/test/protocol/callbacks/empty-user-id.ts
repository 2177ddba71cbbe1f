import t from 'tap'
import { startDocumentServer, startFakeHost } from '../../support.js'

const NOBODY = { id: '', name: '' }

t.test('of an editor whose user.id is empty a 1 is sent and never a 2: the edit becomes a forgotten file at once', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K', { name: 'notes.txt', user: NOBODY }))
  t.match(await session.event('joined'), { users: [{ id: '', name: 'Anonymous' }] })
  await session.edit('kept')
  t.strictSame(await session.close(), { status: null, httpStatus: null, answer: null, accepted: false })
  t.match(await session.event('saved'), { accepted: false })
  t.strictSame(host.callbacks(), [{ key: 'K', status: 1, users: [''], actions: [{ type: 1, userid: '' }] }])
  t.equal(Buffer.from(server.forgotten.get('K')!.bytes).toString(), 'kept')
})

t.test('a 2 names whoever has an id, of who changed last and who left last', async t => {
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
