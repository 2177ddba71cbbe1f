import t from 'tap'
import { editorFrame, startBrowser } from '../kit/browser.js'
import { startDemo } from '../kit/programs.js'

const NAME = 'Opening week.docx'
const browser = await startBrowser(t)

/** Runs in the page. */
const colorOf = (element: unknown, property: string) =>
  (globalThis as unknown as { getComputedStyle (element: unknown): Record<string, string> }).getComputedStyle(element)[property]

t.test('demo: two people in two windows edit one document together', { skip: browser.missing }, async t => {
  const demo = await startDemo(t)
  const address = `${demo.url}/edit/${await demo.idOf(NAME)}`
  const { page: mira } = await browser.newPage(t)
  const { page: jonas } = await browser.newPage(t)

  await mira.goto(`${demo.url}/?user=mira`)
  await mira.getByRole('link', { name: NAME, exact: true }).click()
  const miraEditor = await editorFrame(mira)
  await jonas.goto(`${address}?user=jonas`)
  const jonasEditor = await editorFrame(jonas)
  await miraEditor.locator('[data-users] [title^="Jonas Feldt"]').waitFor()
  await jonasEditor.locator('[data-users] [title^="Mira Sandoval"]').waitFor()

  const { page: list } = await browser.newPage(t)
  await list.goto(`${demo.url}/?user=teodora`)
  const row = list.getByRole('listitem').filter({ has: list.getByRole('link', { name: NAME, exact: true }) })
  await row.getByText('Mira Sandoval and Jonas Feldt are editing').waitFor()
  await jonasEditor.locator('[data-paragraph]', { hasText: 'Entrance is free.' }).click()
  for (const [id, name] of Object.entries({ mira: 'Mira Sandoval', jonas: 'Jonas Feldt' })) {
    const color = await row.locator(`[data-avatar="${id}"] circle`).evaluate(colorOf, 'fill')
    for (const editor of [miraEditor, jonasEditor]) {
      const chip = editor.locator(`[data-users] [title^="${name}"]`)
      t.equal(await chip.evaluate(colorOf, 'backgroundColor'), color, `${name} in the list and in the editor's users`)
    }
    if (id === 'jonas') {
      t.equal(await miraEditor.locator(`[data-by="${name}"]`).first().evaluate(colorOf, 'borderLeftColor'), color, 'and at the caret')
    }
  }

  await miraEditor.locator('[data-paragraph]', { hasText: 'Entrance is free.' }).fill('Written by Mira')
  await jonasEditor.locator('[data-paragraph]', { hasText: 'Written by Mira' }).waitFor()
  await jonasEditor.locator('[data-paragraph]', { hasText: 'Times may still change.' }).fill('Written by Jonas')
  await miraEditor.locator('[data-paragraph]', { hasText: 'Written by Jonas' }).waitFor()
  for (const page of [mira, jonas]) {
    await Promise.all([page.waitForURL(`${demo.url}/?user=*`), page.getByRole('link', { name: 'Documents' }).click()])
  }

  await mira.goto(address)
  const reopened = await editorFrame(mira)
  for (const text of ['Written by Mira', 'Written by Jonas']) t.equal(await reopened.locator('[data-paragraph]', { hasText: text }).count(), 1)
})
