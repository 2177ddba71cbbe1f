import { once } from 'node:events'
import t from 'tap'
import { startBrowser } from '../../../../test/kit/browser.js'
import { formatsOf } from '../../../lib/formats.js'
import type { EditorConfig } from '../../../lib/index.js'
import { postSigned } from '../../support.js'
import { startEditing } from './pages.js'

const browser = await startBrowser(t)

function withClose (config: EditorConfig): object {
  return {
    ...config,
    editorConfig: { ...config.editorConfig, customization: { close: { visible: true, text: 'Leave' } } }
  }
}

t.test('onInfo comes before onDocumentReady, and for csv and txt so does onUserActionRequired; with several editors every keystroke tells onDocumentStateChange', { skip: browser.missing }, async t => {
  const { open } = await startEditing(t, browser)
  const ada = await open('K', { file: 'notes.txt' })
  await ada.event('onDocumentReady')
  t.strictSame(await ada.events(), [['onAppReady'], ['onUserActionRequired'], ['onInfo', { mode: 'edit' }], [
    'onDocumentReady'
  ]])
  await ada.stopTimers()
  await ada.type('ab')
  t.equal(await ada.event('onDocumentStateChange'), true)
  await ada.page.clock.resume()
  t.equal(await ada.event('onDocumentStateChange'), false, 'alone: once each')

  const grace = await open('K', {
    file: 'notes.txt',
    change: config => ({ ...config, editorConfig: { ...config.editorConfig, user: { id: 'grace', name: 'Grace' } } })
  })
  await ada.frame.locator('[data-users] li').nth(1).waitFor()
  await grace.stopTimers()
  await grace.type('cd')
  for (const key of ['c', 'd']) t.equal(await grace.event('onDocumentStateChange'), true, key)
  await grace.page.clock.resume()
  t.equal(await grace.event('onDocumentStateChange'), false)
  await ada.event('onCollaborativeChanges')
  t.strictSame([...ada.problems, ...grace.problems], [])
})

t.test('destroyEditor removes the frame at once: what was typed is lost, with a 4, unless onDocumentStateChange false had come', { skip: browser.missing }, async t => {
  const { host, open } = await startEditing(t, browser)
  for (const [key, waits, status] of [['lost', false, 4], ['kept', true, 2]] as const) {
    const { page, event, type, problems, stopTimers } = await open(key, { file: 'notes.txt' })
    if (!waits) await stopTimers()
    await type('x')
    t.equal(await event('onDocumentStateChange'), true)
    if (waits) t.equal(await event('onDocumentStateChange'), false)
    const ended = new Promise<unknown>(resolve => {
      host.beforeAnswer = async ({ status, key: ended }) => {
        if (status !== 1 && ended === key) resolve(status)
      }
    })
    t.equal(await page.evaluate('editor.destroyEditor(); document.querySelectorAll("iframe").length'), 0, 'gone')
    t.equal(await page.locator('#editor').count(), 1, 'the placeholder is back')
    t.equal(await ended, status, key)
    t.strictSame(problems, [])
  }
})

t.test('leaving the page with unsent changes asks first', { skip: browser.missing }, async t => {
  const { open } = await startEditing(t, browser)
  const { page, type, event, stopTimers } = await open('K', { file: 'notes.txt' })
  await stopTimers()
  await type('x')
  t.equal(await event('onDocumentStateChange'), true)
  const asked = once(page as unknown as NodeJS.EventEmitter, 'dialog')
  await page.close({ runBeforeUnload: true })
  const [dialog] = await asked as [import('playwright-core').Dialog]
  t.equal(dialog.type(), 'beforeunload')
  await dialog.accept()
})

t.test('requestClose only raises onRequestClose; with unsent changes it asks first, and OK undoes them: OK has the focus, and nothing is sent meanwhile. The button needs a handler and customization.close', { skip: browser.missing }, async t => {
  const { host, open } = await startEditing(t, browser)
  for (const options of [{ handled: ['onRequestClose'] }, { change: withClose }]) {
    const { frame } = await open('without', options)
    await frame.locator('[data-paragraph]').first().waitFor()
    t.ok(await frame.locator('[data-action="close"]').isHidden(), JSON.stringify(options))
  }
  // Nobody waits long for the answers to who is present.
  while (host.statuses().length < 2) await host.next()
  host.received.length = 0
  const { button, call, dialog, event, events, frame, page, problems, sent, stopTimers, type } = await open('K', {
    handled: ['onRequestClose'],
    change: withClose
  })
  await button('Leave').click()
  t.equal(await event('onRequestClose'), undefined, 'no data')

  await stopTimers()
  await type('discarded')
  await call('requestClose')
  await dialog().getByText('All unsaved changes will be lost').waitFor()
  t.equal(await dialog().locator(':focus').textContent(), 'OK')
  await page.clock.runFor(60_000)
  t.equal(
    (await events()).filter(([name, data]) => name === 'onDocumentStateChange' && data === false).length,
    0,
    'nothing is sent meanwhile'
  )
  await dialog().getByRole('button', { name: 'Cancel' }).click()
  await sent()
  t.equal((await events()).filter(([name]) => name === 'onRequestClose').length, 1, 'cancelled')
  t.match(await frame.locator('[data-paragraph]').first().innerText(), /discarded$/)

  await type(' again')
  await call('requestClose')
  await dialog().getByRole('button', { name: 'OK' }).click()
  await event('onRequestClose')
  await frame.locator('[data-paragraph]').getByText(/discarded$/).waitFor()
  t.strictSame(host.statuses(), [1], 'still open')
  await page.clock.resume()
  await type(' and goes on')
  await frame.locator('[data-paragraph]').getByText(/discarded and goes on$/).waitFor()
  await sent()
  t.strictSame(problems, [])
})

t.test('an open cell is known to nobody: no state change, not even when the window or the page gets the focus; requestClose and leaving the page ask, downloadAs sends it, destroyEditor loses it', { skip: browser.missing }, async t => {
  const { host, open } = await startEditing(t, browser)
  const start = async (key: string) => {
    const opened = await open(key, { file: 'table.csv', handled: ['onRequestClose'] })
    await opened.page.evaluate('document.body.insertAdjacentHTML("afterbegin", "<button>Outside</button>")')
    await opened.event('onDocumentReady')
    await opened.frame.locator('[data-cell="A1"]').click()
    await opened.page.keyboard.type('half a w')
    await opened.page.getByRole('button', { name: 'Outside' }).click()
    await opened.page.clock.runFor(60_000)
    return {
      ...opened,
      field: opened.frame.locator('.grid-input'),
      changes: async () => (await opened.events()).filter(([name]) => name === 'onDocumentStateChange')
    }
  }
  const ended = (key: string) => new Promise<unknown>(resolve => {
    host.beforeAnswer = async ({ status, key: ended }) => {
      if (status !== 1 && ended === key) resolve(status)
    }
  })

  const asked = await start('asked')
  for (const answer of ['Cancel', 'OK']) {
    t.equal(await asked.field.inputValue(), 'half a w', 'still open')
    t.strictSame(await asked.changes(), [])
    await asked.call('requestClose')
    await asked.dialog().getByText('All unsaved changes will be lost').waitFor()
    await asked.dialog().getByRole('button', { name: answer }).click()
  }
  t.equal(await asked.event('onRequestClose'), undefined, 'once')
  t.strictSame(await asked.changes(), [])
  await asked.frame.locator('[data-cell="A1"]').getByText('a', { exact: true }).waitFor()
  t.equal(await asked.field.count(), 0)
  t.strictSame(asked.problems, [])

  const left = await start('left')
  const question = once(left.page as unknown as NodeJS.EventEmitter, 'dialog')
  await left.page.close({ runBeforeUnload: true })
  const [dialog] = await question as [import('playwright-core').Dialog]
  t.equal(dialog.type(), 'beforeunload')
  await dialog.accept()

  const sent = await start('sent')
  await sent.call('downloadAs', 'csv')
  t.equal(await sent.event('onDocumentStateChange'), true)
  const { url } = await sent.event('onDownloadAs') as { url: string }
  t.match(await (await fetch(url)).text(), 'half a w,b')

  const lost = await start('lost')
  const status = ended('lost')
  await lost.page.evaluate('editor.destroyEditor()')
  t.equal(await status, 4)
})

t.test('downloadAs works one at a time, needs the right to download (-23), and gives docx for a format that cannot be made', { skip: browser.missing }, async t => {
  const { open } = await startEditing(t, browser)
  const { call, event, events, frame, page, type } = await open('K')
  await type('current')
  await page.evaluate('editor.downloadAs("txt"); editor.downloadAs("txt")')
  const made = await event('onDownloadAs') as { fileType: string, url: string }
  t.equal(made.fileType, 'txt')
  t.match(await (await fetch(made.url)).text(), 'current')
  await call('downloadAs', 'odt')
  t.match(await event('onDownloadAs'), { fileType: 'docx', url: /output\.docx/ })
  t.equal(
    (await events()).filter(([name]) => name === 'onDownloadAs').length,
    2,
    'of the first two calls one was answered'
  )
  await frame.locator('[data-paragraph]').first().waitFor()

  const forbidden = await open('K2', {
    change: config => ({ ...config, document: { ...config.document, permissions: { download: false } } }),
    handled: ['onRequestSaveAs']
  })
  await forbidden.call('downloadAs')
  t.match(await forbidden.event('onError'), { errorCode: -23 })
  t.equal(await forbidden.item('Save copy as…').count(), 0)
})

t.test('downloadAs: a failed conversion is onWarning -83 and no onError, and the next one gets its file', {
  skip: browser.missing
}, async t => {
  const { server, open } = await startEditing(t, browser)
  const { call, event, events, frame } = await open('K')
  await frame.locator('[data-paragraph]').first().waitFor()
  server.fault('conversion', { type: 'error', error: -3 })
  await call('downloadAs', 'txt')
  t.match(await event('onWarning'), { warningCode: -83 })
  await call('downloadAs', 'txt')
  t.match(await event('onDownloadAs'), { fileType: 'txt' })
  t.notOk((await events()).some(([name]) => name === 'onError'))
})

t.test('api.js detects no device: type decides which editor is loaded, also one that is set in the page after signing', { skip: browser.missing }, async t => {
  const { open } = await startEditing(t, browser)
  const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
  for (const [type, layout, afterSigning] of [[undefined, 'main'], ['desktop', 'main'], ['mobile', 'mobile'], [
    'mobile',
    'mobile',
    { type: 'mobile' }
  ]] as const) {
    const { page, event, problems } = await open(`K-${type}`, {
      device: PHONE,
      change: config => ({ ...config, ...!afterSigning && { type } }),
      ...afterSigning && { afterSigning }
    })
    t.match(await event('onInfo'), { mode: 'edit' })
    t.match(page.frames()[1]!.url(), `/documenteditor/${layout}/`)
    t.strictSame(problems, [])
  }
})

t.test('meta raises onMetaChange in all pages, viewers\' too; who is dropped is not told why: an editor cannot access the file, a viewer goes on loading, and no event is raised', { skip: browser.missing }, async t => {
  const { server, open } = await startEditing(t, browser)
  const handled = ['onMetaChange']
  const ada = await open('K', { handled })
  const viewer = await open('K', { handled, change: config => ({ ...config, editorConfig: { ...config.editorConfig, mode: 'view' } }) })
  for (const page of [ada, viewer]) await page.event('onDocumentReady')
  await postSigned(`${server.url}/command`, { c: 'meta', key: 'K', meta: { title: 'New.docx' } })
  for (const page of [ada, viewer]) t.strictSame(await page.event('onMetaChange'), { title: 'New.docx' })
  const before = [await ada.events(), await viewer.events()]
  await postSigned(`${server.url}/command`, { c: 'drop', key: 'K' })
  t.equal(await ada.frame.locator('[data-screen-title]:visible').innerText(), 'The file cannot be accessed right now.')
  t.equal(await viewer.frame.locator('[data-screen-title]:visible').innerText(), 'Loading the Changes')
  t.strictSame([await ada.events(), await viewer.events()], before)
})

t.test('in strict co-editing nothing is sent until the user saves', { skip: browser.missing }, async t => {
  const { host, open } = await startEditing(t, browser)
  const { button, events, event, frame, page, type } = await open('K', {
    change: config => ({
      ...config,
      editorConfig: { ...config.editorConfig, coEditing: { mode: 'strict', change: false } }
    })
  })
  const sentOff = async () =>
    (await events()).filter(([name, data]) => name === 'onDocumentStateChange' && data === false).length
  for (const count of [0, 1]) {
    await type(' typed')
    t.equal(await event('onDocumentStateChange'), true)
    await page.clock.runFor(60_000)
    t.equal(await sentOff(), count)
    await button('Save').click()
    t.equal(await event('onDocumentStateChange'), false)
    await frame.locator('[data-state="stored"]').waitFor()
  }
  t.strictSame(host.statuses(), [1, 6, 6])
})

t.test('api.js alerts and makes no frame for a fileType that it does not know, without an event', {
  skip: browser.missing
}, async t => {
  const { open } = await startEditing(t, browser)
  const { page, problems } = await open('K')
  await page.evaluate(`texts = []; raised = []; alert = text => { texts.push(text) }
    outcomeOf = fileType => {
      document.body.insertAdjacentHTML('beforeend', '<div id="another"></div>')
      new DocsAPI.DocEditor('another', { document: { fileType }, events: { onError: () => raised.push('onError') } })
      const { localName } = document.body.lastElementChild
      document.body.lastElementChild.remove()
      return { localName, texts: texts.splice(0).length, raised: raised.length }
    }`)
  const outcomeOf = async (fileType: string) => await page.evaluate(`outcomeOf(${JSON.stringify(fileType)})`)
  for (const family of ['word', 'cell', 'slide', 'pdf', 'diagram'] as const) {
    for (const fileType of formatsOf(family)) {
      t.match(await outcomeOf(fileType), { localName: 'iframe', texts: 0 }, fileType)
    }
  }
  for (const fileType of ['zip', 'jpg', 'DOCX', '']) {
    t.strictSame(await outcomeOf(fileType), { localName: 'div', texts: 1, raised: 0 }, fileType)
  }
  t.strictSame(problems, [])
})

t.test('a refused configuration is explained in the frame and reported to the page', { skip: browser.missing }, async t => {
  const { open } = await startEditing(t, browser)
  const { frame, events, event } = await open('K', { afterSigning: { token: 'x.y.z' } })
  t.match(await event('onError'), { errorCode: -20, errorDescription: /token/ })
  t.match(await frame.locator('[data-screen]').innerText(), /cannot be opened[^]*token[^]*4006/)
  t.strictSame((await events()).map(([name]) => name), ['onAppReady', 'onError'])
})
