// Only the editor knows what is typed into an open cell: no event reports it until the user leaves the cell.
import { once } from 'node:events'
import type { Dialog } from 'playwright-core'
import t from 'tap'
import { close, type Opened, type OpenOptions, type Pages, type PagesOptions, startBrowser, startPages } from '../kit/browser.js'

const browser = await startBrowser(t)
const skip = browser.missing

const TABLE = 'name,city\nAda,London\n'
const LINK = '<a href="/list" data-onlyoffice-close>Documents</a> <button type="button">Another place</button>'

interface Sheet extends Opened {
  readonly fileId: string
  readonly field: ReturnType<Opened['editor']['locator']>
  readonly question: ReturnType<Opened['editor']['locator']>
  answer (name: 'OK' | 'Cancel'): Promise<void>
  link: ReturnType<Opened['page']['locator']>
}

async function start (t: Parameters<typeof startPages>[0], options: PagesOptions = {}): Promise<Pages> {
  return await startPages(t, browser, {
    before: LINK,
    prepare (app) {
      app.get('/list', async (_request, reply) =>
        reply.type('text/html').send('<!DOCTYPE html><title>List</title><link rel="icon" href="data:,">'))
    },
    ...options
  })
}

async function open (service: Pages, options?: OpenOptions): Promise<Sheet> {
  const { fileId } = await service.storage.create('csv', Buffer.from(TABLE))
  const opened = await service.open(fileId, options)
  await opened.event('documentready')
  const question = opened.editor.getByRole('dialog')
  return {
    ...opened,
    fileId,
    field: opened.editor.locator('.grid-input'),
    question,
    answer: async name => await question.getByRole('button', { name }).click(),
    link: opened.page.getByRole('link', { name: 'Documents' })
  }
}

/** Types into a cell, and leaves it open. */
async function type ({ editor, page }: Pick<Opened, 'editor' | 'page'>, text: string): Promise<void> {
  await editor.locator('[data-cell="A2"]').click()
  await page.keyboard.type(text)
}

t.test('by a link: the editor asks; no keeps the cell open, and what is sent then is stored; yes loses it', { skip }, async t => {
  const service = await start(t)
  const ada = await open(service)
  await type(ada, 'Grace')
  await ada.link.click()
  await ada.question.waitFor()
  await ada.answer('Cancel')
  t.equal(await ada.field.inputValue(), 'Grace')
  await ada.link.click()
  await ada.question.waitFor()
  t.equal(await ada.page.getByText('Saving…').count(), 0)
  await ada.answer('Cancel')
  await ada.field.press('Enter')
  t.equal(await ada.event('documentstatechange'), true)
  t.equal(await ada.page.locator('.onlyoffice-notice').count(), 0, 'not asked again by the page')
  await close(ada, async () => {
    await ada.link.click()
    await ada.page.waitForURL('**/list')
  })
  t.equal(await service.storedText(ada.fileId), TABLE.replace('Ada', 'Grace'))
  t.strictSame(ada.problems, [])

  const grace = await open(service)
  await type(grace, 'nobody')
  await grace.link.click()
  await close(grace, async () => {
    await grace.answer('OK')
    await grace.page.waitForURL('**/list')
  })
  t.equal(await service.storedText(grace.fileId), TABLE)
})

t.test('by unmountEditor(): it rejects if the user goes on, or does not answer in time, and the cell is still open', { skip }, async t => {
  const service = await start(t)
  const ada = await open(service)
  const unmount = async (options = {}) => await ada.withModule(
    `({ unmountEditor }, fragment) => unmountEditor(fragment, ${JSON.stringify(options)}).then(() => 'unmounted', ({ name, code, message }) => ({ name, code, message }))`
  )
  await type(ada, 'Grace')
  t.match(await unmount({ timeout: 700 }), { name: 'UnsentChangesError', code: 'unsent', message: /did not agree within 700 ms/ })
  await ada.answer('Cancel')
  t.equal(await ada.field.inputValue(), 'Grace')

  const refused = unmount({ timeout: 60_000 })
  await ada.question.waitFor()
  await ada.answer('Cancel')
  await ada.field.press('Enter')
  t.match(await refused, { name: 'UnsentChangesError', code: 'unsent', message: /went on editing/ })
  t.equal(await ada.page.locator('iframe').count(), 1)

  await type(ada, 'nobody')
  const agreed = unmount()
  await ada.question.waitFor()
  await ada.answer('OK')
  t.equal(await agreed, 'unmounted')
  t.equal(await ada.page.locator('iframe').count(), 0)
  t.strictSame(ada.problems, [])
})

t.test('by leaving the page: the browser asks', { skip }, async t => {
  const ada = await open(await start(t))
  await type(ada, 'Grace')
  const asked = once(ada.page as unknown as NodeJS.EventEmitter, 'dialog')
  ada.page.evaluate('setTimeout(() => location.assign("/list"))').catch(() => {})
  const [dialog] = await asked as [Dialog]
  t.equal(dialog.type(), 'beforeunload')
  await dialog.dismiss()
  t.equal(await ada.field.inputValue(), 'Grace')
})
