import { readFile } from 'node:fs/promises'
import t from 'tap'
import { startBrowser, startPages } from '../kit/browser.js'

const browser = await startBrowser(t)

// Section 12 of the protocol page, the browser editor: "Save Copy As > JPG/PNG: `onRequestSaveAs` with
// `fileType: 'zip'`".
t.test('a copy in a format that no editor opens is offered as a download, and stored nowhere', { skip: browser.missing }, async t => {
  const copied: string[] = []
  const service = await startPages(t, browser, {
    actions: { saveAs: true, copied: ({ title }) => { copied.push(title) } },
    inspect: ({ fileType }) => fileType === 'txt' ? true : { reject: true, message: 'Only <i>text</i>, please' }
  })
  const ada = await service.open(await service.store('report.docx'))
  const { page, choose, problems } = ada
  const saveAs = async (format: string) => {
    await choose('Save copy as…')
    const dialog = page.frameLocator('[data-onlyoffice-editor] iframe').getByRole('dialog')
    await dialog.getByLabel('Format').selectOption(format)
    await dialog.getByRole('button', { name: 'OK' }).click()
  }
  await saveAs('png')
  await page.getByRole('status').getByText('.zip can be downloaded').waitFor()
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()])
  t.match(download.suggestedFilename(), /\.zip$/)
  t.match(String(await readFile(await download.path(), 'latin1')), /^PK[^]*image1\.png/)
  t.equal(await page.getByRole('status').count(), 0)
  t.strictSame(copied, [])

  await page.route('**/*action=proxy*', async route => await route.abort())
  await saveAs('jpg')
  await page.getByRole('alert').getByText('That did not work').waitFor()
  await page.getByRole('button', { name: 'OK' }).click()
  await page.unroute('**/*action=proxy*')
  // It shows for some seconds only.
  await Promise.all([page.getByRole('status').getByText('A copy was saved').waitFor(), saveAs('txt')])
  t.equal(copied.length, 1)
  await saveAs('odt')
  await page.getByRole('alert').getByText('Only <i>text</i>, please', { exact: true }).waitFor()
  t.equal(copied.length, 1)
  t.strictSame(problems.filter(problem => !/ERR_FAILED|CaptureError|422|FST_EDITOR_REJECTED|ActionError/.test(problem)), [])
})
