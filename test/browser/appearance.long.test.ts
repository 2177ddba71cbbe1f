import t from 'tap'
import type { Locator } from 'playwright-core'
import { startBrowser, startPages } from '../kit/browser.js'

const browser = await startBrowser(t)
const styleOf = async (locator: Locator, name: string): Promise<string> =>
  await locator.evaluate(
    (element, name) =>
      (globalThis as unknown as { getComputedStyle (element: unknown): Record<string, string> })
        .getComputedStyle(element)[name]!,
    name
  )

t.test('dialogs wear the page\'s accent color with a text that is readable on it, and show formats by icons', { skip: browser.missing }, async t => {
  const service = await startPages(t, browser, {
    actions: {
      sharing: () => [],
      create: () => ({ url: '/' }),
      templates: () => ['docx', 'csv', 'zip'].map(fileType => ({ id: fileType, title: 'Template', fileType }))
    }
  })
  const { page, choose, problems } = await service.open(await service.store('report.docx'))
  const withAccent = async (color: string) =>
    await page.evaluate(color => {
      const { document } = globalThis as unknown as { document: { documentElement: { style: { setProperty (name: string, value: string): void } } } }
      document.documentElement.style.setProperty('--onlyoffice-accent', color)
    }, color)
  for (const [accent, text] of [['rgb(255, 213, 74)', 'oklch(0 0 0)'], ['rgb(122, 31, 75)', 'oklch(1 0 0)']] as const) {
    await withAccent(accent)
    await choose('Sharing')
    const ok = page.getByRole('button', { name: 'OK' })
    t.equal(await styleOf(ok, 'backgroundColor'), accent)
    t.equal(await styleOf(ok, 'color'), text)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Shift+Tab')
    t.equal(await styleOf(page.locator(':focus'), 'outlineColor'), accent)
    await page.keyboard.press('Escape')
  }
  await choose('Create new')
  const icons = page.locator('.onlyoffice-dialog-type')
  await icons.nth(3).waitFor()
  t.strictSame(await icons.allTextContents(), ['docx', 'docx', 'csv', 'zip'])
  const [blank, ofLetter, ofPrices, ofOther] = await Promise.all(
    [0, 1, 2, 3].map(async index => await styleOf(icons.nth(index), 'backgroundColor'))
  )
  t.equal(blank, ofLetter)
  t.equal(new Set([ofLetter, ofPrices, ofOther]).size, 3)
  t.strictSame(problems, [], 'under a policy without any style')
})
