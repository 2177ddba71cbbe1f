import t from 'tap'
import { editorFrame, startBrowser } from '../kit/browser.js'
import { startDemo } from '../kit/programs.js'

const NAME = 'Project report.docx'
const browser = await startBrowser(t)

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

  await miraEditor.locator('[data-paragraph]', { hasText: 'Currency is EUR.' }).fill('Written by Mira')
  await jonasEditor.locator('[data-paragraph]', { hasText: 'Written by Mira' }).waitFor()
  await jonasEditor.locator('[data-paragraph]', { hasText: 'Table 1 is rounded.' }).fill('Written by Jonas')
  await miraEditor.locator('[data-paragraph]', { hasText: 'Written by Jonas' }).waitFor()
  for (const page of [mira, jonas]) {
    await Promise.all([page.waitForURL(`${demo.url}/?user=*`), page.getByRole('link', { name: 'Documents' }).click()])
  }

  await mira.goto(address)
  const reopened = await editorFrame(mira)
  for (const text of ['Written by Mira', 'Written by Jonas']) t.equal(await reopened.locator('[data-paragraph]', { hasText: text }).count(), 1)
})
