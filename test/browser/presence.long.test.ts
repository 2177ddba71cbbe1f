import t from 'tap'
import { close, paragraph, startBrowser, startPages } from '../kit/browser.js'

const browser = await startBrowser(t)

t.test('a page shows the other editors and their carets, each in its own colour, until they leave', { skip: browser.missing }, async t => {
  const service = await startPages(t, browser)
  const fileId = await service.store('report.docx')
  const ada = await service.open(fileId)
  const grace = await service.open(fileId, { user: 'Grace Hopper' })
  const viewer = await service.open(fileId, { user: 'Vic Reader', mode: 'view' })
  const users = ada.editor.locator('[data-users] li')

  await users.nth(2).waitFor()
  t.strictSame(await users.evaluateAll(items => items.map(({ title }) => title)), ['Ada Lovelace (you)', 'Grace Hopper', 'Vic Reader, viewing'])
  const colors = await users.evaluateAll(items => items.map(({ dataset }) => dataset.color))
  t.equal(new Set(colors).size, 3, 'a colour for each')
  const ownName = (await users.first().elementHandle())!

  await paragraph(grace, 'Currency is EUR.').click()
  const marked = ada.editor.locator('[data-by="Grace Hopper"]')
  await marked.waitFor()
  t.equal(await paragraph(ada, 'Currency is EUR.').locator(marked).count(), 1)
  t.equal(await marked.getAttribute('data-color'), colors[1], 'marked in their colour')
  t.equal(await grace.editor.locator('[data-by]').count(), 0, 'nobody is shown their own place')

  await paragraph(grace, 'Table 1 is rounded.').click()
  await paragraph(ada, 'Table 1 is rounded.').locator(marked).waitFor()
  t.equal(await marked.count(), 1, 'the mark has moved')
  t.ok(await ownName.evaluate(({ isConnected }) => isConnected), 'and nothing else was drawn anew')

  await close(grace)
  await users.nth(2).waitFor({ state: 'detached' })
  t.equal(await marked.count(), 0)
  t.strictSame(await users.evaluateAll(items => items.map(({ dataset }) => dataset.color)), [colors[0], colors[2]], 'the others keep their colours')
  await viewer.page.close()
  await users.nth(1).waitFor({ state: 'detached' })
})
