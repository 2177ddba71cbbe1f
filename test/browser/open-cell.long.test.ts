// Only the editor knows what is typed into an open cell: no event reports it until the user leaves the cell.
import { once } from 'node:events'
import type { Dialog } from 'playwright-core'
import t from 'tap'
import { close, editorFrame, type Opened, type OpenOptions, type Pages, type PagesOptions, startBrowser, startPages, stopTime } from '../kit/browser.js'
import { HANDLER } from '../kit/host.js'

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
  await opened.event('onDocumentReady')
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
  t.equal(await ada.event('onDocumentStateChange'), true)
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

t.test('by close() of <document-editor>: it resolves when the user agrees', { skip }, async t => {
  const service = await start(t, {
    prepare (app) {
      app.get<{ Params: { fileId: string } }>('/element/:fileId', async ({ params }, reply) => {
        const control = await app.editorControl({ user: { id: 'ada', name: 'Ada' } }).openDocument(params.fileId)
        return reply.type('text/html').send(`<!DOCTYPE html><title>Page</title><link rel="icon" href="data:,"><script type="module" src="${HANDLER}/assets/document-editor.js"></script><document-editor>${control.render()}</document-editor>`)
      })
    }
  })
  const { fileId } = await service.storage.create('csv', Buffer.from(TABLE))
  const { page, problems } = await browser.newPage(t)
  await page.goto(`${service.origin}/element/${fileId}`)
  await page.evaluate('document.querySelector("document-editor").editor()')
  const editor = await editorFrame(page)
  await type({ editor, page }, 'Grace')
  await page.evaluate('closing = document.querySelector("document-editor").close().then(() => "closed"); 0')
  await editor.getByRole('dialog').getByRole('button', { name: 'OK' }).click()
  t.equal(await page.evaluate('closing'), 'closed')
  t.equal(await page.locator('iframe').count(), 0)
  t.strictSame(problems, [])
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

t.test('an editor that does not answer: an old one is closed as ever, and who waits for another decides', { skip }, async t => {
  const service = await start(t)
  const replaced = (method: string) =>
    `({ mountEditor }, fragment) => mountEditor(fragment).then(editor => { editor.requestClose = ${method} })`
  const old = await open(service)
  await old.withModule(replaced('undefined'))
  await type(old, 'Grace')
  await old.link.click()
  await old.page.waitForURL('**/list')

  const silent = await open(service)
  const { page } = silent
  await silent.withModule(replaced('() => { document.body.dataset.asked = "" }'))
  await stopTime(page)
  await silent.link.click()
  await page.clock.fastForward(500) // so long nothing more may be typed
  await page.locator('body[data-asked]').waitFor()
  await page.clock.fastForward(10_000)
  await page.getByRole('alert').getByText('Press Save first.').waitFor()
  await page.getByRole('button', { name: 'Keep it open' }).click()
  t.equal(await page.getByRole('alert').count(), 0)
  await silent.link.click()
  await page.clock.fastForward(500)
  await page.clock.fastForward(10_000)
  await page.getByRole('button', { name: 'Close anyway' }).click()
  await page.waitForURL('**/list')
})

t.test('a viewer is not asked, and no button appears that the configuration alone would not show', { skip }, async t => {
  const service = await start(t, { defaults: { customization: { close: { visible: true } } } })
  const ada = await open(service)
  t.ok(await ada.button('Close').isHidden())
  const viewer = await open(service, { mode: 'view' })
  await viewer.withModule('({ mountEditor }, fragment) => mountEditor(fragment).then(editor => { editor.requestClose = () => { throw new Error("asked") } })')
  t.equal(await viewer.withModule('({ unmountEditor }, fragment) => unmountEditor(fragment, { timeout: 60_000 })'), undefined)
  t.equal(await viewer.page.locator('iframe').count(), 0)
  t.strictSame([...ada.problems, ...viewer.problems], [])
})

t.test('the close button of the editor asks once, also where its handler closes the editor', { skip }, async t => {
  const service = await start(t, { before: '' })
  const ada = await open(service)
  await ada.withModule(`async ({ mountEditor, unmountEditor }, fragment) => {
    await unmountEditor(fragment)
    const editor = await mountEditor(fragment, { onRequestClose: () => { globalThis.closing = unmountEditor(fragment) } })
    globalThis.asked = 0
    const { requestClose } = editor
    editor.requestClose = () => { globalThis.asked++; requestClose() }
  }`)
  const editor = await editorFrame(ada.page)
  await type({ editor, page: ada.page }, 'Grace')
  await ada.button('Close').click()
  // A click would wait for the frame, which goes away.
  await editor.getByRole('dialog').getByRole('button', { name: 'OK' }).focus()
  await ada.page.keyboard.press('Enter')
  await ada.page.waitForFunction(() => 'closing' in globalThis)
  await ada.page.evaluate('closing')
  t.equal(await ada.page.evaluate('asked'), 0)
  t.equal(await ada.page.locator('iframe').count(), 0)
})
