import t from 'tap'
import { startBrowser, textBox } from '../kit/browser.js'
import { startDemo } from '../kit/programs.js'

const browser = await startBrowser(t)

t.test('demo: one page has the editors of two users, who see each other write', { skip: browser.missing }, async t => {
  const demo = await startDemo(t)
  const { page, problems } = await browser.newPage(t)
  await page.goto(`${demo.url}/?user=jonas`)
  await page.getByRole('button', { name: 'More for Shopping list.md' }).click()
  await page.getByRole('menuitem', { name: 'Open as two users' }).click()
  const [jonas, mira] = ['Jonas Feldt', 'Mira Sandoval'].map(name =>
    page.frameLocator(`iframe[title="Shopping list.md, edited by ${name}"]`).frameLocator('iframe')
  )
  for (const editor of [jonas!, mira!]) await editor.locator('[data-content][aria-busy="false"]').waitFor()
  await textBox(jonas!).fill('written by Jonas')
  await mira!.getByText('written by Jonas').waitFor()
  await page.getByRole('link', { name: 'Documents' }).first().click()
  await page.goto(demo.url)
  await page.getByRole('button', { name: 'Jonas Feldt' }).waitFor() // not the other one of the two
  t.strictSame(problems, [])
})
