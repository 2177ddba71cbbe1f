import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import t from 'tap'
import { editorFrame, shownText, startBrowser, textBox } from '../kit/browser.js'
import { startDemo } from '../kit/programs.js'

const NAME = 'Meeting notes.txt'
const browser = await startBrowser(t)

t.test('demo: a saved document opens with its new content and a new document key', { skip: browser.missing }, async t => {
  const demo = await startDemo(t)
  const { page } = await browser.newPage(t)
  const address = `${demo.url}/edit/${await demo.idOf(NAME)}`

  await page.goto(address)
  const key = await documentKey(page)
  const editor = await editorFrame(page)
  await textBox(editor).fill('What was decided: żółć')
  await Promise.all([page.waitForURL(`${demo.url}/?user=*`), page.getByRole('link', { name: 'Documents' }).click()])

  await page.goto(address)
  const again = await editorFrame(page)
  t.equal(await shownText(again), 'What was decided: żółć')
  // Opened while the document server was saving, the editor first shows it for viewing, and then asks for the new key.
  await textBox(again).fill('And changed once more')
  t.not(await documentKey(page), key)
  await Promise.all([page.waitForURL(`${demo.url}/?user=*`), page.getByRole('link', { name: 'Documents' }).click()])
  const stored = async () => Buffer.from(await demo.download(NAME)).toString()
  // the document server saves after the page is left
  while (await stored() === 'What was decided: żółć') await setTimeout(50)
  t.equal(await stored(), 'And changed once more', 'the new key can be edited')
})

t.test('demo: a document closed without changes keeps its document key and its bytes', { skip: browser.missing }, async t => {
  const demo = await startDemo(t)
  const { page } = await browser.newPage(t)
  const address = `${demo.url}/edit/${await demo.idOf(NAME)}`
  const before = await demo.download(NAME)

  await page.goto(address)
  const key = await documentKey(page)
  await editorFrame(page)
  await page.setViewportSize({ width: 390, height: 780 })
  await Promise.all([page.waitForURL(`${demo.url}/?user=*`), page.getByRole('link', { name: 'Documents' }).click()])
  await page.goto(address)
  t.equal(await documentKey(page), key)
  t.same(await demo.download(NAME), before)
})

function documentKey (page: Page): Promise<string> {
  return page.locator('[data-onlyoffice-editor] > script').evaluate(script => JSON.parse(script.textContent ?? '').document.key)
}
