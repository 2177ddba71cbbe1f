import { readFileSync } from 'node:fs'
import t from 'tap'
import { extractText, getDocumentProxy } from 'unpdf'
import { fixture } from '../support.js'

const BUILT = '../../dist/lib/documents/converter/'

t.test('the published package makes PDF with a bundle of pdfkit, and has the licenses of what is in it', async t => {
  const { converter } = await import(new URL(`${BUILT}convert.js`, import.meta.url).href) as
    typeof import('../../lib/documents/converter/convert.js')
  const pdf = await converter(null)(fixture('report.docx'), 'docx', 'pdf')
  const { text } = await extractText(await getDocumentProxy(Uint8Array.from(pdf!)), { mergePages: true })
  t.match(text, 'All figures are unaudited.')
  const bundle = readFileSync(new URL(`${BUILT}pdfkit.js`, import.meta.url), 'utf8')
  t.notMatch(bundle, /(?:from|import\()\s*["'](?:pdfkit|fontkit|linebreak)["']/)
  const licenses = readFileSync(new URL(`${BUILT}pdfkit.js.licenses.txt`, import.meta.url), 'utf8')
  for (const name of ['pdfkit', 'fontkit', 'linebreak', '@noble/ciphers']) t.match(licenses, `${name} `)
})
