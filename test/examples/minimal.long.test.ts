import { strFromU8, unzipSync } from 'fflate'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { caretTo, editorFrame, startBrowser } from '../kit/browser.js'
import { startExample } from '../kit/programs.js'

const PHONE = { viewport: { width: 390, height: 664 }, isMobile: true, hasTouch: true }
const browser = await startBrowser(t)

t.test('example minimal: what is typed on a phone is stored; the editor fills its screen exactly', { skip: browser.missing }, async t => {
  const example = await startExample(t, 'minimal/server.js')
  const { page, problems } = await browser.newPage(t, PHONE)
  const opened = await page.goto(example.url)
  t.equal(opened?.headers()['cache-control'], 'no-store')
  const editor = await editorFrame(page)
  t.strictSame(await page.evaluate(`(() => {
    const { x, y, width, height } = document.querySelector('[data-onlyoffice-editor] iframe').getBoundingClientRect()
    const { scrollWidth, scrollHeight, lang } = document.documentElement
    return { frame: [x, y, width, height], page: [scrollWidth, scrollHeight], lang, mode: document.compatMode, title: document.title }
  })()`), { frame: [0, 0, 390, 664], page: [390, 664], lang: 'en', mode: 'CSS1Compat', title: 'Report.docx' })

  await caretTo('End', editor.locator('[data-paragraph]').first())
  await page.keyboard.type('written on a phone')
  await editor.waitForSelector('[data-state="received"]')
  t.strictSame(problems.filter(problem => !problem.includes('favicon')), [])
  t.match(await example.stop(), { code: 0, log: '' })
  const parts = unzipSync(await readFile(join(example.directory, 'App_Data/uploads/report.docx')))
  t.match(strFromU8(parts['word/document.xml']!), 'written on a phone')
})
