import t from 'tap'
import { postSigned, startBoth } from '../support.js'
import { bombs } from './bombs.js'
import { connect } from './page.js'

t.test('a document built to exhaust the server is shown as unreadable, saved unchanged, and not converted', async t => {
  const { host, server } = await startBoth(t)
  const other = await server.open(host.config('other'))

  for (const [title, { bytes, reason }] of Object.entries(bombs)) {
    await t.test(title, async t => {
      const source = bytes()
      const key = title.replaceAll(' ', '_')
      host.files.set('/files/report.docx', source)
      const page = await connect(t, server)
      page.send({ type: 'open', config: host.config(key) })
      const { content } = await page.message({ type: 'opened' }) as { content: { kind: string, note: string } }
      t.match(content, { kind: 'readonly', note: /^This docx file cannot be read: / })
      t.match(content.note, reason)

      const session = await server.open(host.config(key))
      t.ok(source.equals(await session.content()), 'byte for byte')
      await session.close()

      const response = await postSigned(`${server.url}/converter`, {
        filetype: 'docx',
        key,
        outputtype: 'pdf',
        title: 'a.docx',
        url: `${host.origin}/files/report.docx`
      })
      t.strictSame(await response.json(), { error: -3 })
    })
  }

  await other.edit('the other one goes on')
  t.match(await other.close(), { status: 2, accepted: true })
})

t.test('an output format that is a property name or a path is not supported', async t => {
  const { host, server } = await startBoth(t)
  for (const outputtype of ['constructor', '__proto__', 'toString', '../../x', 'pdf:writer_pdf_Export', '--help']) {
    const response = await postSigned(`${server.url}/converter`, { filetype: 'txt', outputtype, key: 'K', url: `${host.origin}/files/notes.txt` })
    t.strictSame(await response.json(), { error: -7 }, outputtype)
  }
})
