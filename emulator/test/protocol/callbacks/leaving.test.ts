import t from 'tap'
import { fixture, startBoth } from '../../support.js'

t.test('a status 2 lists, of the users who changed last and left last, those with an id', async t => {
  const { host, server } = await startBoth(t)
  const saved = async (key: string, order: 'editor leaves first' | 'editor leaves last') => {
    const nobody = await server.open(host.config(key, { user: { id: '', name: '' } }))
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

t.test('setting the same content again is no change and keeps the bytes', async t => {
  const { host, server } = await startBoth(t)
  const session = await server.open(host.config('K'))
  await session.edit(fixture('report.docx'))
  t.strictSame(await session.content(), fixture('report.docx'))
  t.equal((await session.close()).status, 4)
})

t.test('a refused status 4 shows a warning to everybody connected', async t => {
  const { host, server } = await startBoth(t)
  const viewer = await server.open(host.config('K', { user: { id: 'vera', name: 'Vera' }, mode: 'view' }))
  const editor = await server.open(host.config('K'))
  host.answers[4] = { body: '<html>' }
  t.match(await editor.close(), { status: 4, accepted: false })
  for (const session of [editor, viewer]) t.match(await session.nextEvent('warning'), { message: 'Error on save server subscription!' })
})
