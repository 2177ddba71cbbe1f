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

t.test('status 5 is sent once per record, with the mailMerge object', async t => {
  const { host, server } = await startBoth(t)
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  const recipients = ['a@example.com', 'b@example.com', 'c@example.com']
  host.beforeAnswer = async ({ mailMerge }) => {
    host.answers[5] = (mailMerge as { recordIndex?: number } | undefined)?.recordIndex === 1 ? { body: '{"error":1}' } : {}
  }
  const results = await session.mailMerge({ from: 'me@example.com', subject: 'Hello', title: 'letter.docx', message: 'See below', type: 1, recipients })
  t.strictSame(results.map(({ status, accepted }) => [status, accepted]), [[5, true], [5, false], [5, true]])

  const letters = host.callbacks(5)
  t.strictSame(letters.map(({ mailMerge }) => mailMerge), recipients.map((to, recordIndex) => ({
    from: 'me@example.com',
    to,
    subject: 'Hello',
    title: 'letter.docx',
    message: 'See below',
    type: 1,
    recordCount: 3,
    recordIndex,
    recordErrorCount: recordIndex === 2 ? 1 : 0,
    userId: 'uid-1'
  })))
  for (const { key, users, filetype, url } of letters) {
    t.strictSame({ key, users, filetype }, { key: 'K', users: ['uid-1'], filetype: 'txt' })
    t.strictSame(Buffer.from(await (await fetch(String(url))).arrayBuffer()), host.files.get('/files/notes.txt'))
  }
})
