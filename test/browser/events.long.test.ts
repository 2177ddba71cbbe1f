import t from 'tap'
import { append, paragraph, startBrowser, startPages } from '../kit/browser.js'

const browser = await startBrowser(t)

t.test('the editor has a close button, and asks to be closed, only if the page listens to onRequestClose', { skip: browser.missing }, async t => {
  const service = await startPages(t, browser)
  const fileId = await service.store('report.docx')
  const asking = await service.open(fileId, { events: 'onRequestClose' })
  await append(asking, 'Currency is EUR.', ' y')
  await asking.editor.waitForSelector('[data-state="received"]')
  await asking.editor.click('[data-action="close"]')
  await asking.event('requestclose')
  t.ok(await paragraph(asking, 'Currency is EUR. y').isVisible(), 'the page answers it: the editor is still open')

  const other = await service.open(fileId, { user: 'Grace Hopper' })
  t.notOk(await other.editor.locator('[data-action="close"]').isVisible())
})
