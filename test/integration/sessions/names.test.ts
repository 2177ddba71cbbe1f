import t from 'tap'
import { startService, PATIENT } from '../../kit/sessions.js'

const names = ['résumé été', 'Отчёт за квартал', '日本語の文書', 'a b+c&d=e#f%41', 'emoji 🎉', "it's (final), really!"]

t.test('files with any name are opened and saved under that name, and titles are passed on unchanged', async t => {
  const { app, documentServer, saved, storedText, others } = await startService(t)
  for (const fileId of names) {
    await others.write(fileId, 'txt', 'as it was')
    const control = await app.editorControl().openDocument(fileId)
    const session = await documentServer.open(control.config!)
    t.equal(control.config!.document.title, `${fileId}.txt`)
    t.equal(String(await session.content()), 'as it was', fileId)
    await session.edit(`new content of ${fileId}`)
    t.match(await session.close(), { status: 2, accepted: true }, fileId)
    t.equal(await storedText(fileId), `new content of ${fileId}`)
    t.equal(saved.at(-1)!.fileId, fileId)
  }
})

t.test('an uploaded document with a name in any script is opened and saved', async t => {
  const { app, documentServer, storedText } = await startService(t)
  for (const name of names) {
    const control = app.editorControl()
    const { fileId } = await control.uploadDocument(Buffer.from('as it was'), `${name}.txt`)
    t.equal(control.config!.document.title, `${name}.txt`)
    const session = await documentServer.open(control.config!)
    await session.edit('Größe 日本語')
    t.match(await session.close(), { status: 2, accepted: true }, name)
    t.equal(await storedText(fileId), 'Größe 日本語')
  }
})

t.test('a document with a non-Latin name is converted', async t => {
  const control = (await startService(t)).app.editorControl()
  await control.uploadDocument(Buffer.from('Größe 日本語'), '日本語の文書.txt')
  t.match((await control.convertToPdf(PATIENT)).toString('latin1'), /^%PDF-.*%%EOF/s)
})
