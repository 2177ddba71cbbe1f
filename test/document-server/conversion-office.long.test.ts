import t from 'tap'
import { missingOffice } from '../kit/programs.js'
import { startService } from '../kit/sessions.js'

t.setTimeout(300_000)
const skip = await missingOffice()

t.test('a stored document becomes an image and documents of other formats, made by LibreOffice', { skip }, async t => {
  const { app, fileId } = await startService(t, { emulated: { libreOffice: 'soffice' } })
  const control = await app.editorControl().openDocument(fileId)
  const image = await control.thumbnail({ width: 200, height: 280, timeout: 60_000 })
  t.equal(image.mediaType, 'image/png')
  t.match((await image.bytes()).toString('latin1'), /^\x89PNG\r\n/)
  for (const [outputType, fileType, start] of [['odf', 'odt', 'PK'], ['pdfa', 'pdf', '%PDF-']] as const) {
    const result = await control.convert({ outputType, timeout: 60_000 })
    t.equal(result.fileType, fileType)
    t.ok((await result.bytes()).toString('latin1').startsWith(start), outputType)
  }
})
