import t from 'tap'
import { append, caretTo, paragraph, startBrowser, startPages } from '../kit/browser.js'
import { signed } from '../kit/host.js'

const browser = await startBrowser(t)

t.test('the editor raises the real editor\'s events in its page, with the same names and data', { skip: browser.missing }, async t => {
  const service = await startPages(t, browser)
  const fileId = await service.store('report.docx')
  const ada = await service.open(fileId)

  await ada.event('onDocumentReady')
  t.strictSame(await ada.events(), [['onAppReady'], ['onInfo', { mode: 'edit' }], ['onDocumentReady']])
  const viewer = await service.open(fileId, { mode: 'view' })
  t.strictSame(await viewer.event('onInfo'), { mode: 'view' })

  await caretTo('End', paragraph(ada, 'Currency is EUR.'))
  await ada.page.keyboard.insertText(' x') // as one change: letters that come slowly are sent one by one
  await ada.page.waitForFunction(() =>
    (globalThis as unknown as { events: Array<[name: string, data?: unknown]> }).events.some(([, data]) => data === false)
  )
  t.strictSame(
    (await ada.events()).slice(3),
    [['onDocumentStateChange', true], ['onDocumentStateChange', false]],
    'true while it is not at the document server, then false'
  )

  await ada.page.evaluate(`(async () => {
    const fragment = document.querySelector('[data-onlyoffice-editor]')
    const { mountEditor } = await import(fragment.dataset.handler + '/assets/editor.js')
    const editor = await mountEditor(fragment)
    editor.downloadAs('txt')
  })()`)
  const downloaded = await ada.event('onDownloadAs') as { fileType: string, url: string }
  t.strictSame(Object.keys(downloaded), ['fileType', 'url'])
  t.equal(downloaded.fileType, 'txt')
  t.match(await (await fetch(downloaded.url)).text(), 'Currency is EUR. x')

  const command = {
    c: 'meta',
    key: (await service.app.editorControl().openDocument(fileId)).documentKey,
    meta: { title: 'Renamed.docx' }
  }
  await fetch(`${service.documentServer.url}/command`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...command, token: signed(command) })
  })
  t.strictSame(await ada.event('onMetaChange'), { title: 'Renamed.docx' })
  t.equal(await ada.editor.locator('[data-title]').textContent(), 'Renamed.docx')

  service.documentServer.changeSecret('a-secret-that-the-host-does-not-know-0123456789')
  await ada.editor.click('[data-action="save"]')
  t.match(await ada.event('onWarning'), { warningCode: -1, warningDescription: /refused/ })
})

t.test('onError reports why a document could not be opened, with the message the page itself shows', { skip: browser.missing }, async t => {
  const service = await startPages(t, browser)
  const ada = await service.open(await service.store('notes.txt'), { badToken: 'x.y.z' })
  t.match(await ada.event('onError'), { errorCode: -20, errorDescription: /token/ })
  t.match(await ada.editor.locator('[data-screen]').innerText(), /cannot be opened[^]*token[^]*4006/)
  t.strictSame(await ada.events().then(all => all.map(([name]) => name)), ['onAppReady', 'onError'])
})

t.test('the editor has a close button, and asks to be closed, only if the page listens to onRequestClose', { skip: browser.missing }, async t => {
  const service = await startPages(t, browser)
  const fileId = await service.store('report.docx')
  const asking = await service.open(fileId, { events: 'onRequestClose' })
  await append(asking, 'Currency is EUR.', ' y')
  await asking.editor.waitForSelector('[data-state="received"]')
  await asking.editor.click('[data-action="close"]')
  await asking.event('onRequestClose')
  t.ok(await paragraph(asking, 'Currency is EUR. y').isVisible(), 'the page answers it: the editor is still open')

  const other = await service.open(fileId, { user: 'Grace Hopper' })
  t.notOk(await other.editor.locator('[data-action="close"]').isVisible())
})
