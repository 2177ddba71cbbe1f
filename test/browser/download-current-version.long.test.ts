import { strFromU8, unzipSync } from 'fflate'
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { editorFrame, startBrowser } from '../kit/browser.js'
import { startDemo } from '../kit/programs.js'
import { profiles } from '../kit/editing.js'

const NAME = 'Opening week.docx'
const browser = await startBrowser(t)

for (const profile of profiles) {
  t.test(`captureDocument() returns the open document through the proxy, unsaved changes included (${profile})`, { skip: browser.missing }, async t => {
    const demo = await startDemo(t, { env: { PROFILE: profile } })
    const { page, problems } = await browser.newPage(t)
    const before = await demo.download(NAME)
    const proxied: number[] = []
    page.on('response', response => {
      if (response.url().startsWith(`${demo.url}/Controls/Editor/EditorHandler.ashx?action=proxy`)) {
        proxied.push(response.status())
      }
    })

    await page.goto(demo.url)
    await page.getByRole('link', { name: NAME, exact: true }).click()
    const editor = await editorFrame(page)
    await editor.locator('[data-paragraph]', { hasText: 'Entrance is free.' }).fill('Not saved yet')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download current version' }).click()
    ])

    t.equal(download.suggestedFilename(), NAME)
    const parts = unzipSync(await readFile(await download.path()))
    t.match(strFromU8(parts['word/document.xml']!), 'Not saved yet')
    t.strictSame(proxied, [200], 'the bytes came through the handler')
    t.same(await demo.download(NAME), before, 'the stored file is unchanged')
    t.strictSame(problems, [])
  })
}
