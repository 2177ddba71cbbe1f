import t from 'tap'
import type { RenameAction } from '../../lib/index.js'
import { ADA, HANDLER, startPageHost } from '../kit/host.js'
import { WARN } from '../kit/log.js'
import { startService } from '../kit/sessions.js'

t.test('renaming: the hook notes the name, then all editors show it', async t => {
  const renamed: RenameAction[] = []
  const service = await startService(t, { actions: { rename: action => { renamed.push(action) } } })
  const { fileId, origin, app } = service
  const { pageToken } = await app.editorControl({ user: ADA }).openDocument(fileId, { title: 'Notes.txt' })
  const rename = async (name: string) => {
    const response = await fetch(`${origin}${HANDLER}/actions/rename`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-editor-page-token': pageToken },
      body: JSON.stringify({ name })
    })
    return { status: response.status, answer: await response.json() }
  }
  t.match(await rename('Nobody has it open'), { status: 200, answer: { title: 'Nobody has it open.txt' } })

  const sessions = [await service.open(), await service.open({ user: { id: 'ben', name: 'Ben' } })]
  t.match(await rename('Minutes'), { status: 200, answer: { title: 'Minutes.txt', pageToken: String } })
  t.match(renamed.at(-1), { fileId, user: ADA, name: 'Minutes', title: 'Minutes.txt' })
  for (const session of sessions) t.match(await session.nextEvent('renamed'), { title: 'Minutes.txt' })
  t.equal(renamed.length, 2)
})

t.test('a renamed document keeps its name if the document server is away: the log says who was not told', async t => {
  const renamed: string[] = []
  const host = await startPageHost(t, { actions: { rename: ({ title }) => { renamed.push(title) } } })
  const key = host.keys.of((await host.storage.stat(host.fileId))!)
  await host.postSignedCallback(host.fileId, { status: 1, key, users: ['ada'] })
  t.match(await host.ask('rename', { name: 'Minutes' }), { status: 200, body: { title: 'Minutes.docx' } })
  t.strictSame(renamed, ['Minutes.docx'])
  t.match(host.records().filter(({ level }) => level === WARN), [{
    msg: 'open editors could not be notified of the new name',
    fileId: host.fileId,
    err: { code: 'FST_EDITOR_UPSTREAM' }
  }])
})

t.test('a name that is not a plain file name everywhere is refused before the hook; the extension stays', async t => {
  const titles: string[] = []
  const host = await startPageHost(t, { actions: { rename: ({ title }) => { titles.push(title) } } })
  const bad = [
    '', ' ', '.', '..', '../x', '..\\x', 'a/b', 'a\\b', '/etc/passwd', 'C:\\x', 'a:b', 'a*', 'a?', '"a"', '<a>',
    'a|b', '.hidden', 'a.', '.docx', 'a\u0000', 'a\u0000.php', 'a\nb', 'a\r\nb', 'a\tb', 'a\u007f', 'a\u0085',
    'a\u2028b', 'gpj.\u202efdp', 'a\u200eb', 'a\u200fb', 'a\u061cb', 'a\u2066b', '\ud800', 'con', 'NUL', 'com1',
    'LPT9', 'con.tar', 'x'.repeat(251), 'ü'.repeat(126), '日'.repeat(84), 'x'.repeat(1001)
  ]
  for (const name of bad) {
    t.match(
      await host.ask('rename', { name }),
      { status: 400, body: { code: 'FST_EDITOR_INVALID_ACTION' } },
      JSON.stringify(name).replace(/[^ -~]/g, '?').slice(0, 40)
    )
  }
  t.strictSame(titles, [])

  const good: Array<[typed: string, title: string]> = [
    ['Minutes', 'Minutes.docx'],
    ['Minutes.docx', 'Minutes.docx'],
    ['Minutes.DOCX', 'Minutes.docx'],
    ['Minutes.php', 'Minutes.php.docx'],
    ['  Q1 2026 – Übersicht & Plan #3 (50%)  ', 'Q1 2026 – Übersicht & Plan #3 (50%).docx'],
    ['U\u0308bersicht', '\u00dcbersicht.docx'],
    ['گزارش‌ها', 'گزارش‌ها.docx'],
    ['報告 👩‍🚀', '報告 👩‍🚀.docx'],
    ['x'.repeat(250), `${'x'.repeat(250)}.docx`]
  ]
  for (const [name, title] of good) t.match(await host.ask('rename', { name }), { status: 200, body: { title } })
  t.strictSame(titles, good.map(([, title]) => title))

  const token = (await host.ask('rename', { name: 'Minutes' })).tokens.pageToken
  t.equal((await host.ask('config', { purpose: 'refresh' }, { token })).body.config.document.title, 'Minutes.docx', 'the new token of the page has the name')
  await host.storage.remove!(host.fileId)
  t.match(await host.ask('rename', { name: 'a' }, { token }), { status: 404, body: { code: 'FST_EDITOR_FILE_NOT_FOUND' } })
})
