import t from 'tap'
import { editorFrame, startBrowser } from '../helpers/browser.js'
import { append, startService } from './service.js'

const browser = await startBrowser(t)
const skip = browser.missing

t.test('the close button leads to closeUrl, else to the page that the user came from, else to a cover with which the document can be opened again', { skip }, async t => {
  const ends = new Map<string, (status: number) => void>()
  const service = await startService(t, browser, {
    render: { events: ['onRequestClose'] },
    prepare (app) {
      app.get('/list', async (_request, reply) => reply.type('text/html').send('<!DOCTYPE html><title>List</title><link rel="icon" href="data:,"><a href="/edit/x">Open</a>'))
    },
    onCallback: ({ status, fileId }) => { if (status !== 1) ends.get(fileId)?.(status) }
  })
  const fileId = await service.store('report.docx')
  const saved = new Promise<number>(resolve => ends.set(fileId, resolve))
  const ada = await service.open(fileId)
  await append(ada, 'Currency is EUR.', ' closed')
  await ada.editor.waitForSelector('[data-state="received"]')
  await ada.button('Close').click()
  await ada.page.getByRole('status').getByText('The document is closed').waitFor()
  t.equal(await ada.page.locator('iframe').count(), 0)
  t.equal(await saved, 2)
  t.equal(await ada.page.evaluate('document.activeElement.textContent'), 'Open it again')
  await ada.page.keyboard.press('Enter')
  const again = await editorFrame(ada.page)
  t.ok(await again.getByText('Currency is EUR. closed').isVisible())
  t.match((await ada.events()).filter(([name]) => name === 'onInfo').at(-1), ['onInfo', { mode: 'edit' }], 'a fresh configuration: with the old key it could only be viewed')
  t.strictSame(ada.problems, [])

  await ada.withModule(`async ({ mountEditor, unmountEditor }, fragment) => {
    await unmountEditor(fragment)
    fragment.dataset.closeUrl = 'javascript:document.title = "script"'
    await mountEditor(fragment)
  }`)
  await editorFrame(ada.page)
  await ada.button('Close').click()
  await ada.page.getByRole('status').getByText('The document is closed').waitFor()
  t.equal(await ada.page.title(), 'Editor')

  await ada.page.goto(`${service.origin}/list`)
  await ada.page.evaluate(`document.querySelector('a').href = ${JSON.stringify(`/edit/${fileId}`)}`)
  await ada.page.getByRole('link').click()
  await editorFrame(ada.page)
  await ada.button('Close').click()
  await ada.page.waitForURL('**/list')

  const direct = await startService(t, browser, { render: { closeUrl: '/elsewhere' }, prepare: app => { app.get('/elsewhere', async () => 'another page') } })
  const grace = await direct.open(await direct.store('report.docx'))
  await grace.button('Close').click()
  await grace.page.waitForURL('**/elsewhere')
})

t.test('closing while nothing can be sent: the user is asked, keeps the document open, or closes it anyway', { skip }, async t => {
  const service = await startService(t, browser, { render: { closeUrl: '/elsewhere' }, prepare: app => { app.get('/elsewhere', async () => 'another page') } })
  const ada = await service.open(await service.store('report.docx'))
  await ada.page.clock.install()
  // An editor that says that something is unsent, whatever it does: the emulated one asks itself before it raises onRequestClose.
  await ada.editor.evaluate('parent.postMessage({ type: \'editor\', event: \'onDocumentStateChange\', data: true }, \'*\')')
  await ada.event('onDocumentStateChange')
  await ada.button('Close').click()
  await ada.page.getByRole('status').getByText('Sending your last changes…').waitFor()
  await ada.page.clock.fastForward(10_000)
  const question = ada.page.getByRole('alert')
  await question.getByText('Your last changes have not been sent yet').waitFor()
  await ada.page.getByRole('button', { name: 'Keep it open' }).click()
  t.equal(await question.count(), 0)
  t.equal(await ada.page.locator('iframe').evaluate(frame => (frame as unknown as { inert: boolean }).inert), false)

  await ada.button('Close').click()
  await ada.page.getByRole('status').getByText('Sending your last changes…').waitFor()
  await ada.page.clock.fastForward(10_000)
  await ada.page.getByRole('button', { name: 'Close anyway' }).click()
  await ada.page.waitForURL('**/elsewhere')
})
