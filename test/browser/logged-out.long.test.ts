import t from 'tap'
import { startBrowser, startPages } from '../kit/browser.js'
import { HANDLER } from '../kit/host.js'

const browser = await startBrowser(t)
const skip = browser.missing

t.test('a page whose user the application has logged out, two editors in a page, and an editor that breaks', { skip }, async t => {
  let login: string | undefined
  const fileIds: string[] = []
  const service = await startPages(t, browser, {
    actions: { rename: () => {}, saveAs: true, favorite: () => {}, reference: () => null },
    defaults: { info: { favorite: false } },
    prepare (app) {
      // As many applications do it. The document server sends no such header.
      app.addHook('onRequest', async ({ url, headers }, reply) => {
        if (login !== undefined && url.startsWith(HANDLER) && headers['sec-fetch-site'] !== undefined) {
          return reply.redirect(login)
        }
      })
      app.get(
        '/login',
        async (_request, reply) => reply.type('text/html').send('<!DOCTYPE html><title>Log in</title>')
      )
      app.get('/login.json', async () => ({ login: 'required' }))
      app.get('/list', async (_request, reply) =>
        reply.type('text/html').send('<!DOCTYPE html><title>List</title><link rel="icon" href="data:,">'))
      app.get('/two', async (_request, reply) => {
        const fragments = await Promise.all(fileIds.map(async fileId =>
          (await app.editorControl({ user: { id: 'ada', name: 'Ada' } }).openDocument(fileId)).render({
            events: ['onRequestClose']
          })
        ))
        return reply.type('text/html').send(
          `<!DOCTYPE html><title>Two</title><link rel="icon" href="data:,">${fragments.join('')}`
        )
      })
    }
  })
  fileIds.push(await service.store('report.docx'), await service.store('report.docx'))
  const ada = await service.open(fileIds[0]!)
  const { page } = ada
  const alert = page.getByRole('alert')
  await ada.withModule('() => {}') // as a page that captures imports it, while it loads

  for (login of ['/login', '/login.json']) {
    for (const [event, data] of [['Rename…', 'Name'], ['Save copy as…', undefined]] as const) {
      await ada.choose(event)
      const dialog = page.frameLocator('[data-onlyoffice-editor] iframe').getByRole('dialog')
      if (data) {
        await dialog.getByLabel(data).fill('Minutes')
      }
      await dialog.getByRole('button', { name: 'OK' }).click()
      await alert.getByText('You are no longer logged in').waitFor()
      await page.getByRole('button', { name: 'OK' }).click()
    }
    t.match(
      await ada.withModule(
        '({ captureDocument }) => captureDocument().then(file => file.text(), ({ code }) => code)'
      ),
      'expired',
      'never the login page in the place of the document'
    )
  }
  login = undefined
  t.match(await ada.withModule('({ captureDocument }) => captureDocument().then(({ name }) => name)'), /\.docx$/)

  // A method that throws once, as if the editor was just breaking.
  const sheet = await service.open(await service.store('orders.xlsx'))
  await sheet.withModule(`async ({ mountEditor }, fragment) => {
    const docEditor = await mountEditor(fragment)
    const { setReferenceData } = docEditor
    docEditor.setReferenceData = () => {
      docEditor.setReferenceData = setReferenceData
      throw new Error('broken')
    }
  }`)
  const link = async () => {
    await sheet.choose('Reference')
    const dialog = sheet.page.frameLocator('[data-onlyoffice-editor] iframe').getByRole('dialog')
    await dialog.getByLabel('Formula').fill('=[missing.xlsx]orders!A1')
    await dialog.getByRole('button', { name: 'OK' }).click()
  }
  await link()
  await sheet.page.getByRole('alert').waitFor()
  // It shows for some seconds only.
  await Promise.all([sheet.editor.getByText('The linked file was not found').waitFor(), link()])

  await page.goto(`${service.origin}/list`)
  await page.goto(`${service.origin}/two`, { referer: `${service.origin}/list` })
  t.equal(await page.evaluate('document.referrer'), `${service.origin}/list`)
  const [first, second] = ['nth=0', 'nth=1'].map(which =>
    page.locator('[data-onlyoffice-editor]').locator(which)
  ) as [ReturnType<typeof page.locator>, ReturnType<typeof page.locator>]
  for (const fragment of [first, second]) {
    await fragment.frameLocator('iframe').locator('[data-content][aria-busy="false"]').waitFor()
  }
  await first.frameLocator('iframe').getByRole('button', { name: 'Close', exact: true }).click()
  await first.getByRole('status').getByText('The document is closed').waitFor()
  t.equal(new URL(page.url()).pathname, '/two', 'the other editor is still there')
  t.equal(await second.locator('iframe').count(), 1)
  await second.frameLocator('iframe').getByRole('button', { name: 'Close', exact: true }).click()
  await page.waitForURL('**/list')
})
