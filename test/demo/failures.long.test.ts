import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { startBrowser, textBox } from '../kit/browser.js'
import { startDemo } from '../kit/programs.js'

const browser = await startBrowser(t)
const skip = browser.missing
const demo = await startDemo(t)
const NAME = 'Meeting notes.txt'

const stored = async () => Buffer.from(await demo.download(NAME)).toString().trim()

/** The page on which failures are caused, with a document in it. */
async function start (t: Test) {
  const { page } = await browser.newPage(t)
  await page.goto(`${demo.url}/failures?user=mira&document=${await demo.idOf(NAME)}`)
  const host = page.frameLocator('main iframe')
  const editor = host.frameLocator('iframe')
  await editor.locator('[data-content][aria-busy="false"]').waitFor()
  return {
    page,
    /** `received`: the document server has it. */
    async write (text: string, state: 'received' | 'any' = 'received') {
      await textBox(editor).fill(text)
      if (state === 'received') await editor.locator('[data-state="received"]').waitFor()
    },
    async close () {
      await editor.getByRole('button', { name: 'Close' }).click()
      await host.getByRole('heading', { name: 'All documents' }).waitFor({ state: 'attached' })
    }
  }
}

async function cause (page: Page, failure: string): Promise<void> {
  await page.getByRole('button', { name: failure }).click()
  await waiting(page).waitFor()
}

async function end (page: Page, failure: string): Promise<void> {
  await page.getByRole('button', { name: `End: ${failure}` }).click()
}

const waiting = (page: Page) => page.getByRole('list', { name: 'Documents' }).getByText('Not stored yet.')

async function seeThatNothingIsLost (t: Test, page: Page, text: string): Promise<void> {
  await page.locator('strong').getByText('It is over, and nothing is lost.').waitFor()
  await page.getByRole('list', { name: 'Documents' }).getByRole('listitem').filter({ hasText: NAME }).getByText(/^Stored again at /).waitFor()
  while (await stored() !== text); // each round is a download: the last words may come later
  t.equal(await waiting(page).count(), 0)
}

t.test('demo: while the disk is full nothing is stored, and afterwards everything is, although the document was closed', { skip }, async t => {
  const { page, write, close } = await start(t)
  const before = await stored()
  await write('before the disk was full')
  await cause(page, 'Disk full')
  await write('while the disk was full')
  await close()
  t.equal(await stored(), before)
  t.ok(await page.getByRole('button', { name: 'Save refused' }).isDisabled(), 'one at a time')
  await end(page, 'Disk full')
  await seeThatNothingIsLost(t, page, 'while the disk was full')
})

t.test('demo: refused saves are stored when they are no longer refused', { skip }, async t => {
  const { page, write } = await start(t)
  const before = await stored()
  await page.getByRole('button', { name: 'Save refused' }).click()
  await page.locator('strong').getByText('Type something in the document.').waitFor()
  await write('refused')
  await waiting(page).waitFor()
  t.equal(await stored(), before)
  await end(page, 'Save refused')
  await seeThatNothingIsLost(t, page, 'refused')
})

t.test('demo: what is typed before and while the document server is down is stored when it is back', { skip }, async t => {
  const { page, write } = await start(t)
  await write('before')
  await cause(page, 'Document server down')
  await write('while it was down', 'any')
  await end(page, 'Document server down')
  await seeThatNothingIsLost(t, page, 'while it was down')
})

t.test('demo: what is typed while the application is restarted is stored when it is back', { skip }, async t => {
  const { page, write } = await start(t)
  await write('before')
  await page.getByRole('button', { name: 'Application restarted' }).click()
  await page.getByRole('alert').getByText('The application is not running.').waitFor()
  await t.rejects(fetch(demo.url))
  await write('while it was gone')
  await seeThatNothingIsLost(t, page, 'while it was gone')
  t.equal(await page.getByRole('alert').count(), 0)
})

t.test('demo: it ends in order while a failure is being caused', { skip }, async t => {
  const { page, write } = await start(t)
  await write('the last words')
  await cause(page, 'Document server down')
  t.equal((await demo.stop()).code, 0)
})
