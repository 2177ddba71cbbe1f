import { strFromU8, unzipSync } from 'fflate'
import t from 'tap'
import { extractText, getDocumentProxy } from 'unpdf'
import { editorFrame, startBrowser } from '../helpers/browser.js'
import { startDemo } from '../helpers/demo.js'

const NAME = 'Project report.docx'
const EDIT = 'Edited in a browser: naïve Größe 42'
const browser = await startBrowser(t)

t.test('demo: a .docx opened from the list, edited and closed is stored with the edit, and so is its PDF', { skip: browser.missing }, async t => {
  const demo = await startDemo(t)
  const { page } = await browser.newPage(t)
  const before = unzipSync(await demo.download(NAME))

  await page.goto(demo.url)
  await page.getByRole('link', { name: NAME, exact: true }).click()
  const editor = await editorFrame(page)
  const paragraph = editor.locator('[data-paragraph]', { hasText: 'Currency is EUR.' })
  await paragraph.press('End')
  await paragraph.pressSequentially(` ${EDIT}`)
  await editor.click('[data-action="close"]')
  await editor.waitForSelector('[data-state="closed"]')

  const after = unzipSync(await demo.download(NAME))
  t.notMatch(documentText(before), EDIT)
  t.match(documentText(after), `Currency is EUR. ${EDIT}`)
  t.strictSame(Object.keys(after), Object.keys(before), 'the package has its parts in the same order')
  t.same(after['word/styles.xml'], before['word/styles.xml'], 'what was not edited is as it was')
  t.match(await pdfText(await demo.pdf(NAME)), EDIT)
})

function documentText (parts: Record<string, Uint8Array>): string {
  return strFromU8(parts['word/document.xml']!).replace(/<[^>]+>/g, '')
}

async function pdfText (bytes: Uint8Array): Promise<string> {
  const { text } = await extractText(await getDocumentProxy(bytes), { mergePages: true })
  return text.replace(/\s+/g, ' ')
}
