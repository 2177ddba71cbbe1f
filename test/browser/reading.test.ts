import t from 'tap'
import { startBrowser } from '../helpers/browser.js'
import { close, startService, statuses } from './service.js'

const browser = await startBrowser(t)

t.test('formats that are only read show their text: sheets as tables, slides one by one, others as a page', { skip: browser.missing }, async t => {
  const service = await startService(t, browser)
  const open = async (name: string) => await service.open(await service.store(name))

  for (const name of ['orders.xlsx', 'orders.ods']) {
    const { editor } = await open(name)
    const rows = editor.locator('.sheet tr')
    t.strictSame(await rows.first().locator('td').allTextContents(), ['id', 'region', 'units', 'price', 'date'], name)
    t.equal(await rows.nth(1).locator('td').count(), 5)
    t.equal(await editor.locator('[data-state]').textContent(), 'View only')
    t.ok(await editor.locator('[data-action="save"]').isHidden())
    t.match(await editor.locator('[data-note]').textContent(), /reading only/)
    t.equal(await editor.locator('[contenteditable], textarea:visible').count(), 0)
  }
  for (const name of ['deck.pptx', 'deck.odp']) {
    const { editor } = await open(name)
    t.strictSame(await editor.locator('.slide').allInnerTexts(), ['Title slide', 'Second slide'], name)
  }
  const report = await open('report.odt')
  t.ok(await report.editor.getByText('Currency is EUR.').isVisible())
  const pdf = await open('report.pdf')
  t.ok(await pdf.editor.getByText('There is no text to show of this pdf file').isVisible())
  await close(pdf)
  t.notOk(statuses(service).includes(2), 'closing saves nothing')
})
