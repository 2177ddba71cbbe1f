import t from 'tap'
import { startService } from '../kit/sessions.js'

const STORED = Buffer.from('Nr;Kunde;Preis\r\n007;M\xfcller;1.50\r\n008;"A; B";2\r\n', 'latin1')
/** Files are edited as what the editor was told to read. */
const edited = (text: string) => text.replaceAll('Müller', 'Meier')

t.test('with a document server: opened without a question, edited, saved by force and finally, in the dialect of the stored file', async t => {
  const { app, documentServer, storage, storedText } = await startService(t, { versions: { keep: 5 } })
  const { fileId } = await storage.create('csv', STORED)
  const open = async () => await app.editorControl({ user: { id: 'ada' } }).openDocument(fileId)
  const control = await open()
  t.strictSame(control.config!.document.options, { codePage: 1252, delimiter: 2 })

  const session = await documentServer.open(control.config!)
  await session.edit(edited(Buffer.from(await session.content()).toString()))
  const expected = 'Nr;Kunde;Preis\r\n7;Meier;1.5\r\n8;"A; B";2\r\n'
  t.equal((await session.forceSave()).accepted, true)
  t.equal(await storedText(fileId), expected)
  await session.edit(Buffer.from(await session.content()).toString().replace('\ufeff', '').replaceAll(',\n', '\n').replace('Meier', 'Maier'))
  t.equal((await session.close()).accepted, true)
  t.equal(await storedText(fileId), expected.replace('Meier', 'Maier'))
  t.strictSame((await (await open()).history()).history.map(({ version }) => version), [1, 2, 3])

  const again = await documentServer.open((await open()).config!)
  t.match(Buffer.from(await again.content()).toString(), '7,Maier,1.5')
  t.equal((await again.close()).status, 4)
})

t.test('options of the application win, other formats have none, and an empty file has none', async t => {
  const { app, storage } = await startService(t)
  const { fileId } = await storage.create('csv', STORED)
  const options = async (id: string, defaults = {}) =>
    (await app.editorControl(defaults).openDocument(id)).config!.document.options
  t.strictSame(await options(fileId, { document: { options: { codePage: 1250, delimiterChar: '|' } } }), {
    codePage: 1250,
    delimiterChar: '|'
  })
  for (const [extension, content] of [['txt', 'a;b'], ['csv', ''], ['xlsx', 'PK']] as const) {
    t.equal(await options((await storage.create(extension, Buffer.from(content))).fileId), undefined, extension)
  }
  for (const [content, expected] of [
    ['a,b\n1,2\n', { codePage: 65001, delimiter: 4 }],
    ['a\tb\n', { codePage: 65001, delimiter: 1 }],
    ['a|b\n', { codePage: 65001, delimiterChar: '|' }],
    ['one\n', { codePage: 65001, delimiter: 4 }],
    [Buffer.from('\ufeffa;b\n', 'utf16le'), { codePage: 1200, delimiter: 2 }],
    ['1,5;2,5\n', { codePage: 65001, delimiter: 2 }],
    ['"a;b",c\n', { codePage: 65001, delimiter: 4 }],
    [`${'ä'.repeat(40_000)};b\n`, { codePage: 65001, delimiter: 4 }]
  ] as const) t.strictSame(await options((await storage.create('csv', Buffer.from(content as string))).fileId), expected)
})

t.test('a forgotten CSV file comes back in the dialect of the stored one', async t => {
  let refuses = true
  const { app, documentServer, storage, storedText } = await startService(t, {
    authorize: ({ action }) => action === 'callback' && refuses ? false : undefined
  })
  const { fileId } = await storage.create('csv', STORED)
  const session = await documentServer.open((await app.editorControl({ user: { id: 'ada' } }).openDocument(fileId)).config!)
  await session.edit(edited(Buffer.from(await session.content()).toString()))
  t.equal((await session.close()).accepted, false)
  refuses = false
  t.match(await app.editorServer.recoverForgotten(), [{ fileId, outcome: 'stored' }])
  t.equal(await storedText(fileId), 'Nr;Kunde;Preis\r\n7;Meier;1.5\r\n8;"A; B";2\r\n')
})
