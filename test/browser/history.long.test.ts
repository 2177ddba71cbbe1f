import t from 'tap'
import { append, editorFrame, nextEditor, type Opened, startBrowser, startPages } from '../kit/browser.js'
import { holdTimers } from '../kit/time.js'

/** How long a history waits for the save of what is being typed. A busy machine may need more. */
const FORCE_SAVE_WITHIN_MS = 8000
const browser = await startBrowser(t)
const skip = browser.missing

t.test('version history through the page: versions with their times in the user\'s time zone, changes highlighted, closed, restored', { skip }, async t => {
  let ended = () => {}
  const service = await startPages(t, browser, { versions: { for: 'readers' }, onSaved: () => ended(), defaults: { lang: 'en' } })
  const fileId = await service.store('report.docx')
  /** Edits in a session of its own. */
  async function edit (added: string): Promise<void> {
    const stored = new Promise<void>(resolve => { ended = resolve })
    const opened = await service.open(fileId)
    await append(opened, 'Currency is EUR.', added)
    await opened.withModule('({ unmountEditor }, fragment) => unmountEditor(fragment)')
    await stored
    await opened.page.close()
  }
  await edit(' First.')
  await edit(' Second.')
  const name = 'Signed <b>by all</b>'
  await (await service.app.editorControl().openDocument(fileId)).nameVersion(2, { name, comment: 'not shown' })

  const ada = await service.open(fileId)
  const asked: string[] = []
  ada.page.on('request', request => { if (request.url().includes('/actions/')) asked.push(`${request.url().split('/').at(-1)} ${request.postData()}`) })
  const list = ada.page.frameLocator('iframe').getByRole('list', { name: 'Versions' })
  const shown = ada.page.frameLocator('iframe').locator('[data-content]')
  await ada.choose('Version history')
  await ada.button('Version 3').waitFor()
  await shown.getByText('Second.').waitFor()
  const times = await list.locator('> li').allInnerTexts()
  const today = new Intl.DateTimeFormat('en', { dateStyle: 'medium' }).format(new Date())
  for (const text of times) t.match(text, today)
  t.strictSame(times.map(text => text.includes(` · Ada Lovelace · ${name}`)), [false, true, false], 'the name is where the editor shows text: the time is HTML for it')
  if (process.env.SHOT) await ada.page.screenshot({ path: `${process.env.SHOT}/named.png` })
  await ada.button('Version 2').click()
  await shown.getByText('First.').waitFor()
  t.notMatch(await shown.innerText(), 'Second.')
  t.strictSame(asked, ['history {}', 'historyData {"version":3}', 'historyData {"version":2}'])

  const editor = await nextEditor(ada, () => ada.button('Close history').click())
  const back: Opened = { ...ada, editor }
  await append(back, 'First. Second.', ' Third.')
  await editor.waitForSelector('[data-state="received"]')
  t.strictSame(ada.problems, [])
  const third = new Promise<void>(resolve => { ended = resolve })
  await ada.withModule('({ unmountEditor }, fragment) => unmountEditor(fragment)')
  await third

  const grace = await service.open(fileId, { user: 'Grace Hopper' })
  await grace.choose('Version history')
  await grace.button('Version 1').click()
  await grace.page.frameLocator('iframe').getByText(/EUR\.$/).waitFor()
  const restored = await nextEditor(grace, () => grace.button('Restore').click())
  await restored.getByText(/Currency is EUR\.$/).waitFor()
  t.match((await grace.events()).filter(([name]) => name === 'info').at(-1), ['info', { mode: 'edit' }])
  await grace.choose('Version history')
  await grace.button('Version 5').waitFor()
  t.strictSame(grace.problems, [])

  const viewer = await service.open(fileId, { mode: 'view' })
  await viewer.choose('Version history')
  await viewer.button('Version 1').click()
  await viewer.page.frameLocator('iframe').getByText(/EUR\.$/).waitFor()
  t.equal(await viewer.button('Restore').count(), 0, 'somebody who may not edit restores nothing')
})

t.test('what goes wrong in the history is told: the list, a version, and the restoring', { skip }, async t => {
  const service = await startPages(t, browser, { versions: {} })
  const fileId = await service.store('report.docx')
  const ada = await service.open(fileId)
  let fails = (_action: string) => true
  await ada.page.route(
    /\/actions\//,
    async route =>
      fails(route.request().url())
        ? await route.fulfill({ status: 500, json: { code: 'X', message: 'secret reason' } })
        : await route.continue()
  )
  // The editor shows it for some seconds only.
  await Promise.all([
    ada.editor.getByText('That did not work. Try again.').waitFor(), ada.choose('Version history')
  ])
  fails = url => url.endsWith('historyData')
  await ada.choose('Version history')
  await ada.editor.getByText('Version 1: That did not work. Try again.').waitFor()
  fails = url => url.endsWith('config')
  await ada.button('Close history').click()
  const alert = ada.page.getByRole('alert')
  await alert.getByText('That did not work').waitFor()
  await ada.page.unroute(/\/actions\//)
  await ada.page.route(/\/actions\//, async route => await route.abort()) // the application is away
  const again = ada.page.getByRole('button', { name: 'Try again' })
  await again.click()
  await alert.getByText('Check your connection and try again.').waitFor()
  await ada.page.unroute(/\/actions\//)
  await nextEditor(ada, () => again.click())
  t.equal(await alert.count(), 0)
})

// The row onRequestHistory of emulator/docs/document-server-protocol.md:
// the editor shows the list that it gets, whatever has
// been typed since the last save.
t.test('the history of a document that is being edited begins with what is being typed, of all who edit it', { skip }, async t => {
  const ids: string[] = []
  const service = await startPages(t, browser, { versions: {}, actions: { users: action => { ids.push(...action.ids ?? []); return [] } } })
  const fileId = await service.store('report.docx')
  const grace = await service.open(fileId, { user: 'Grace Hopper' })
  const ada = await service.open(fileId)
  holdTimers(t, FORCE_SAVE_WITHIN_MS)
  const withEmptyId = ada.page.waitForRequest(request => /"id":\[[^\]]*""/.test(request.postData() ?? ''))
  await append(grace, 'Currency is EUR.', ' By Grace.')
  await ada.editor.getByText('EUR. By Grace.').waitFor()
  await append(ada, 'Currency is EUR.', ' By Ada, just now')
  await ada.page.route(/\/actions\/history$/, async route => {
    await ada.page.getByRole('status').getByText('Loading the versions…').waitFor()
    await route.continue()
  })
  await ada.choose('Version history')
  await ada.button('Version 2').waitFor()
  await ada.page.frameLocator('iframe').locator('[data-content]').getByText('EUR. By Grace. By Ada, just now').waitFor()
  t.equal(await ada.page.getByRole('status').count(), 0)
  // The row onRequestUsers for the authors in a version history: nobody is known to have uploaded version 1.
  t.ok(await withEmptyId)
  t.strictSame([...new Set(ids)].sort(), ['ada', 'grace'], 'no empty one reaches the hook')
  t.strictSame([...ada.problems, ...grace.problems], [])
})

t.test('a page that is older than the last save refreshes its document and edits it; if that fails it says so', { skip }, async t => {
  let ended = () => {}
  const service = await startPages(t, browser, { onSaved: () => ended() })
  const fileId = await service.store('report.docx')
  const ada = await service.open(fileId)
  const config = await ada.page.locator('[data-onlyoffice-editor] > script').textContent()
  const stored = new Promise<void>(resolve => { ended = resolve })
  await append(ada, 'Currency is EUR.', ' saved')
  await ada.withModule('({ unmountEditor }, fragment) => unmountEditor(fragment)')
  await stored

  t.equal(await ada.page.locator('[data-onlyoffice-editor] > script').textContent(), config, 'the page has the old key')
  await ada.withModule('({ mountEditor }, fragment) => mountEditor(fragment).then(() => {})')
  const editor = await editorFrame(ada.page)
  await ada.event('requestrefreshfile')
  await editor.getByText('Currency is EUR. saved').waitFor()
  await append({ ...ada, editor }, 'Currency is EUR. saved', ' again')
  await editor.waitForSelector('[data-state="received"]')
  t.notSame(await ada.page.locator('[data-onlyoffice-editor] > script').textContent(), config)

  const again = new Promise<void>(resolve => { ended = resolve })
  await ada.withModule('({ unmountEditor }, fragment) => unmountEditor(fragment)')
  await again
  await ada.page.route(/\/actions\/config$/, async route => await route.abort())
  await ada.withModule('({ mountEditor }, fragment) => mountEditor(fragment).then(() => {})')
  await ada.page.getByRole('alert').getByText('This page is out of date').waitFor()
})
