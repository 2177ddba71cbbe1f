import { strFromU8, unzipSync } from 'fflate'
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { extractText, getDocumentProxy } from 'unpdf'
import { caretTo, editorFrame, startBrowser } from '../kit/browser.js'
import { startDemo } from '../kit/programs.js'
import { profiles } from '../kit/editing.js'

const NAME = 'Opening week.docx'
const EDIT = 'Edited in a browser: naïve Größe 42'
const browser = await startBrowser(t)

for (const profile of profiles) {
  t.test(
    `demo: a .docx opened from the list, edited and closed is stored with the edit, and so is its PDF (${profile})`,
    { skip: browser.missing },
    async t => {
      const demo = await startDemo(t, { env: { PROFILE: profile } })
      const { page, problems } = await browser.newPage(t)
      const failed: string[] = []
      page.on('requestfailed', request => failed.push(`${request.url()}: ${request.failure()?.errorText}`))
      const before = unzipSync(await demo.download(NAME))

      await page.goto(demo.url)
      await page.getByRole('link', { name: NAME, exact: true }).click()
      const editor = await editorFrame(page)
      const paragraph = editor.locator('[data-paragraph]', { hasText: 'Entrance is free.' })
      await caretTo('End', paragraph)
      await page.keyboard.type(` ${EDIT}`)
      await Promise.all([page.waitForURL(`${demo.url}/?user=*`), page.getByRole('link', { name: 'Documents' }).click()])
      t.strictSame([...problems, ...failed], [], 'no error in the console, no request failed')

      let after = unzipSync(await demo.download(NAME))
      // the document server saves once the editor has gone
      while (!documentText(after).includes(EDIT)) after = unzipSync(await demo.download(NAME))
      t.notMatch(documentText(before), EDIT)
      t.match(documentText(after), `Entrance is free. ${EDIT}`)
      t.strictSame(Object.keys(after), Object.keys(before), 'the package has its parts in the same order')
      t.same(after['word/styles.xml'], before['word/styles.xml'], 'unedited parts are unchanged')

      await page.getByRole('button', { name: `More for ${NAME}` }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'), // this browser shows no PDF itself
        page.getByRole('menuitem', { name: 'Show as PDF' }).click()
      ])
      t.equal(download.suggestedFilename(), 'Opening week.pdf')
      t.match(await pdfText(new Uint8Array(await readFile(await download.path()))), EDIT)
    })
}

function documentText (parts: Record<string, Uint8Array>): string {
  return strFromU8(parts['word/document.xml']!).replace(/<[^>]+>/g, '')
}

async function pdfText (bytes: Uint8Array): Promise<string> {
  const { text } = await extractText(await getDocumentProxy(bytes), { mergePages: true })
  return text.replace(/\s+/g, ' ')
}
