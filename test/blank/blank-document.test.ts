import { unzipSync } from 'fflate'
import t from 'tap'
import { blankDocument, blankFileTypes, checkDocument } from '../../lib/index.js'
import { startHost } from '../kit/host.js'
import { startDocumentServer } from '../kit/document-server.js'

const LANGUAGES = ['en', 'pt_BR', 'ar', 'zh-TW', 'tlh']
const INVALID = { code: 'FST_EDITOR_INVALID_OPTION' }
const A4 = { docx: 'w:w="11906" w:h="16838"', xlsx: 'paperSize="9"', odt: 'fo:page-width="8.2681in" fo:page-height="11.6931in"', pdf: '[0 0 595.3 841.9]' }
const LETTER = { docx: 'w:w="12240" w:h="15840"', xlsx: 'paperSize="1"', odt: 'fo:page-width="8.5000in" fo:page-height="11.0000in"', pdf: '[0 0 612 792]' }

/** The text of all parts. */
function textOf (format: string, options: Parameters<typeof blankDocument>[1]): string {
  const bytes = blankDocument(format, options)
  return format === 'pdf' ? bytes.toString('latin1') : Object.values(unzipSync(bytes)).map(part => Buffer.from(part).toString()).join('\n')
}

t.test('a blank document of each format is a complete one, in every language, and always the same', async t => {
  t.strictSame(blankFileTypes, ['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'pdf', 'txt', 'md', 'csv'])
  for (const format of blankFileTypes) {
    for (const lang of LANGUAGES) {
      const bytes = blankDocument(format, { lang })
      t.equal(await checkDocument(bytes, `blank.${format}`), bytes, `${format} ${lang}`)
      t.ok(bytes.equals(blankDocument(format, { lang })))
    }
  }
})

t.test('the language decides on the language of the text and the paper', async t => {
  const cases: Array<[format: string, options: Parameters<typeof blankDocument>[1], expected: string[]]> = [
    ['docx', {}, ['<w:lang w:val="en-US"', LETTER.docx]],
    ['docx', { lang: 'de' }, ['<w:lang w:val="de-DE"', A4.docx]],
    ['docx', { lang: 'en-GB' }, ['<w:lang w:val="en-GB"', A4.docx]],
    ['docx', { lang: 'es_MX' }, ['<w:lang w:val="es-MX"', LETTER.docx]],
    ['docx', { lang: 'ja' }, ['w:eastAsia="ja-JP"', A4.docx]],
    ['docx', { lang: 'fa' }, ['w:bidi="fa-IR"', A4.docx]],
    ['docx', { lang: 'de', paper: 'letter' }, [LETTER.docx]],
    ['xlsx', {}, [LETTER.xlsx]],
    ['xlsx', { lang: 'de' }, [A4.xlsx]],
    ['xlsx', { paper: 'a4' }, [A4.xlsx]],
    ['pptx', { lang: 'fr-CA' }, ['lang="fr-CA"', 'type="ctrTitle"']],
    ['odt', { lang: 'de' }, ['fo:language="de" fo:country="DE"', '<dc:language>de-DE', A4.odt]],
    ['odt', { lang: 'tlh' }, ['fo:language="tlh" fo:country="none"', A4.odt]],
    ['odt', {}, ['fo:language="en" fo:country="US"', LETTER.odt]],
    ['odt', { lang: 'ko' }, ['style:language-asian="ko" style:country-asian="KR"']],
    ['ods', { lang: 'zh-TW' }, ['fo:language="zh" fo:country="TW"']],
    ['odp', { lang: 'ar' }, ['style:language-complex="ar"', 'presentation:class="subtitle"']],
    ['pdf', { lang: 'de' }, [A4.pdf]],
    ['pdf', {}, [LETTER.pdf]]
  ]
  for (const [format, options, expected] of cases) {
    const text = textOf(format, options)
    for (const part of expected) t.ok(text.includes(part), `${format} ${JSON.stringify(options)}: ${part}`)
  }
})

t.test('an OpenDocument file begins with its uncompressed media type', async t => {
  t.equal(blankDocument('ods').subarray(30, 84).toString(), 'mimetypeapplication/vnd.oasis.opendocument.spreadsheet')
})

t.test('an unknown format, an invalid language and an unknown paper are refused', async t => {
  const { app } = await startHost(t)
  for (const format of ['doc', 'exe', '', 'DOCX', 'constructor', '__proto__']) t.throws(() => blankDocument(format), INVALID, format)
  for (const lang of ['', 'x', '"/><w:evil', 'de-', '12', 'de DE']) t.throws(() => blankDocument('docx', { lang }), INVALID, lang)
  t.throws(() => blankDocument('docx', { paper: 'toString' as 'a4' }), INVALID)
  await t.rejects(app.editorControl().createDocument('doc'), INVALID)
})

t.test('a created document is stored under its name, opens in the editor, and is edited and saved', async t => {
  const documentServer = await startDocumentServer(t)
  const host = await startHost(t, { documentServerOrigin: documentServer.url })
  for (const format of blankFileTypes) {
    const control = host.app.editorControl({ user: { id: 'ada', name: 'Ada' }, lang: 'de' })
    const { fileId } = await control.createDocument(format, { title: 'Protokoll v1.0' })
    t.equal(control.documentName, `Protokoll v1.0.${format}`)
    const session = await documentServer.open(control.config!)
    t.ok((await session.content()).equals(blankDocument(format, { lang: 'de' })), format)
    if (format === 'docx') await session.edit('Tagesordnung')
    t.match(await session.close(), { status: format === 'docx' ? 2 : 4 })
    if (format !== 'docx') continue
    const saved = unzipSync(Buffer.from(await (await host.downloadAsDocumentServer(fileId)).arrayBuffer()))
    t.match(Buffer.from(saved['word/document.xml']!).toString(), /Tagesordnung/)
  }

  const control = host.app.editorControl()
  await control.createDocument('xlsx')
  t.equal(control.documentName, 'Untitled.xlsx')
  const german = host.app.editorControl({ editorConfig: { lang: 'de' } })
  const { fileId } = await german.createDocument('odt', { title: 'Budget.ODT', lang: 'fr' })
  t.equal(german.documentName, 'Budget.ODT')
  t.ok(
    blankDocument('odt', { lang: 'fr' }).equals(
      Buffer.from(await (await host.downloadAsDocumentServer(fileId)).arrayBuffer())
    ),
    'its own language takes precedence'
  )
})
