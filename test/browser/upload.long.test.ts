import { readFile } from 'node:fs/promises'
import t from 'tap'
import { editorFrame, startBrowser } from '../kit/browser.js'
import { startDemo } from '../kit/programs.js'

const browser = await startBrowser(t)
const REPORT = new URL('../../examples/demo/documents/Opening week.docx', import.meta.url)
const DROPPED = `
  const transfer = new DataTransfer()
  transfer.items.add(new File(['dropped, text'], 'dropped.csv'))
  transfer.items.add(new File(['MZ'], 'program.exe'))
  transfer
`

t.test('demo: a file uploaded with the button is listed, stored byte for byte, and can be opened', { skip: browser.missing }, async t => {
  const demo = await startDemo(t)
  const { page, problems } = await browser.newPage(t)
  const buffer = await readFile(REPORT)

  await page.goto(demo.url)
  await page.getByLabel('Upload', { exact: true }).setInputFiles({ name: 'Überblick & mehr.docx', mimeType: '', buffer })
  await page.getByRole('link', { name: 'Überblick & mehr.docx', exact: true }).click()
  const editor = await editorFrame(page)

  t.ok(await editor.locator('[data-paragraph]', { hasText: 'Entrance is free.' }).isVisible())
  t.ok(buffer.equals(await demo.download('Überblick & mehr.docx')))
  t.strictSame(problems, [])
})

t.test('demo: files dropped on the page are uploaded; a file with an unsupported format is refused', { skip: browser.missing }, async t => {
  const demo = await startDemo(t)
  const { page } = await browser.newPage(t)

  await page.goto(demo.url)
  const dropped = await page.evaluateHandle(DROPPED)
  await page.dispatchEvent('body', 'drop', { dataTransfer: dropped })

  await page.getByRole('status').filter({ hasText: 'program.exe was not uploaded' }).waitFor()
  await page.getByRole('link', { name: 'dropped.csv', exact: true }).waitFor()
  t.equal(Buffer.from(await demo.download('dropped.csv')).toString(), 'dropped, text')
  await t.rejects(demo.idOf('program.exe'))
})
