import t from 'tap'
import { extractText, getDocumentProxy } from 'unpdf'
import { readFileSync } from 'node:fs'
import { OLD, PATIENT, startService } from '../../kit/sessions.js'

t.test('a document is uploaded, opened, edited and closed: the stored bytes are the edited ones, and it opens under a new key', async t => {
  const { documentServer, fileId, open, key, stored, saved, listing, app } = await startService(t)
  const session = await open()
  t.equal(String(await session.content()), OLD)
  t.equal(session.viewOnly, false)
  t.equal(await key(), session.key, 'the key of the session')
  await session.edit('what was edited')
  t.equal(await stored(), OLD, 'nothing is stored before')
  t.match(await session.close(), { status: 2, httpStatus: 200, answer: { error: 0 }, accepted: true })
  t.equal(await stored(), 'what was edited')
  t.strictSame(await listing(), [`${fileId}.txt`])
  t.match(saved, [{ fileId, status: 2, key: session.key, stored: { fileType: 'txt', size: 15 }, users: ['ada'] }])

  const next = await open()
  t.not(next.key, session.key)
  t.equal(next.viewOnly, false)
  t.equal(String(await next.content()), 'what was edited')
  t.match(await next.close(), { status: 4, accepted: true })
  t.equal(await key(), next.key, 'closed unchanged, it keeps its key')

  const other = app.editorControl()
  await other.uploadDocument(Buffer.from(OLD), 'Notes.txt')
  t.not(other.documentKey, session.key, 'the same bytes uploaded once more are another document')
  t.match(documentServer.forgotten.size, 0)
})

t.test('the edited text of a Word document is in the stored file, which can be opened and converted again', async t => {
  const { app, documentServer, storage } = await startService(t)
  const control = app.editorControl()
  const report = readFileSync(new URL('../../fixtures/documents/report.docx', import.meta.url))
  const { fileId } = await control.uploadDocument(report, 'Report.docx')
  const session = await documentServer.open(control.config!)
  await session.edit('First paragraph\nSecond: naïve größe')
  const edited = await session.content()
  t.match(await session.close(), { status: 2, accepted: true })

  const { info, body } = (await storage.read(fileId))!
  t.equal(info.fileType, 'docx')
  t.strictSame(Buffer.concat(await body.toArray()), edited)
  const again = await app.editorControl().openDocument(fileId)
  t.not(again.documentKey, control.documentKey)
  const { text } = await extractText(await getDocumentProxy(Uint8Array.from(await again.convertToPdf(PATIENT))), { mergePages: true })
  t.match(text, /First paragraph\s+Second: naïve größe/)
})
