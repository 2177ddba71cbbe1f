import t from 'tap'
import { editorFrame, startBrowser, textBox } from '../kit/browser.js'
import { startDemo } from '../kit/programs.js'

const browser = await startBrowser(t)

t.test('demo: the save button stores a text document without closing it; leaving the page stores the remaining edits', { skip: browser.missing }, async t => {
  const demo = await startDemo(t)
  const { page } = await browser.newPage(t)
  const stored = async () => Buffer.from(await demo.download('Shopping list.md')).toString()
  const before = await stored()

  await page.goto(demo.url)
  const changed = page.locator(`#document-${await demo.idOf('Shopping list.md')} time`)
  const changedBefore = await changed.getAttribute('datetime')
  await page.getByRole('link', { name: 'Shopping list.md', exact: true }).click()
  const editor = await editorFrame(page)
  const area = textBox(editor)
  await area.press('ControlOrMeta+End')
  await area.pressSequentially('| 3 | ż |\n')
  await editor.click('[data-action="save"]')
  await editor.waitForSelector('[data-state="stored"]')
  t.equal(await stored(), `${before}| 3 | ż |\n`, 'saved while the document is open')

  await area.pressSequentially('| 5 | 6 |\n')
  await editor.waitForSelector('[data-state="received"]')
  await editor.getByRole('button', { name: 'Close' }).click()
  const atReturn = await changed.getAttribute('datetime')
  t.not(atReturn, changedBefore, 'the list shows when it was saved')
  while (!(await stored()).includes('| 5 | 6 |')); // each round is a download
  t.equal(await stored(), `${before}| 3 | ż |\n| 5 | 6 |\n`, 'saved by leaving the page')
})
