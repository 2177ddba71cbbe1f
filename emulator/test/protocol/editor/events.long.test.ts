import t from 'tap'
import { startBrowser, textBox } from '../../../../test/kit/browser.js'
import { imageOf } from '../../../lib/documents/images/render.js'
import { openPackage } from '../../../lib/documents/office/package.js'
import type { EditorConfig } from '../../../lib/index.js'
import { fixture, headerClaims } from '../../support.js'
import { type Editing, startEditing } from './pages.js'

const browser = await startBrowser(t)

const blank = async (width: number, height: number): Promise<Uint8Array> =>
  await imageOf({ width, height, content: '' }, width, height, 'png')
const viewing = (config: EditorConfig): object => ({
  ...config,
  editorConfig: { ...config.editorConfig, mode: 'view' }
})
const withInfo = (info: object) => (config: EditorConfig): object => ({
  ...config,
  document: { ...config.document, info }
})

/** Everything in the menus of the page. */
const ITEMS: ReadonlyArray<readonly [name: string, event: string]> = [
  ['Version history', 'onRequestHistory'],
  ['Save copy as…', 'onRequestSaveAs'],
  ['Rename…', 'onRequestRename'],
  ['Compare', 'onRequestSelectDocument'],
  ['Combine', 'onRequestSelectDocument'],
  ['Mail merge', 'onRequestSelectSpreadsheet'],
  ['Sharing', 'onRequestSharingSettings'],
  ['Access rights', 'onRequestSharingSettings'],
  ['Create new', 'onRequestCreateNew'],
  ['Image…', 'onRequestInsertImage'],
  ['Text from file', 'onRequestSelectDocument'],
  ['Mention', 'onRequestUsers'],
  ['Link to this place', 'onMakeActionLink']
]

/** How often a path was downloaded with a token for its URL. */
function downloads ({ host }: Editing, path: string): number {
  const requests = host.received.filter(request => request.path === path)
  return requests.filter(request => (headerClaims(request).payload as { url?: string }).url === `${host.origin}${path}`)
    .length
}

t.test('a menu item shows only if the page handles its event; save as, rename, create new, edit and favorite raise theirs', { skip: browser.missing }, async t => {
  const { open } = await startEditing(t, browser)
  const without = await open('K')
  await without.frame.locator('[data-paragraph]').first().waitFor()
  t.equal(await without.frame.locator('[data-menu]:visible').count(), 0)
  const ada = await open('K', {
    handled: [...ITEMS.map(([, event]) => event), 'onRequestEditRights', 'onRequestReferenceData']
  })
  await ada.item('Rename…').waitFor({ state: 'attached' })
  t.strictSame(
    await ada.frame.locator('[role="menuitem"]:not([hidden])').allTextContents(),
    ITEMS.map(([name]) => name)
  )

  await ada.choose('Save copy as…')
  await ada.dialog().getByLabel('Format').selectOption('txt')
  await ada.dialog().getByRole('button', { name: 'OK' }).click()
  const copy = await ada.event('onRequestSaveAs') as { url: string }
  t.match(copy, { url: /\/cache\/files\/.*output\.txt/, title: 'report.txt', fileType: 'txt' })
  t.equal((await fetch(copy.url)).status, 200)
  for (const image of ['jpg', 'png']) {
    await ada.choose('Save copy as…')
    await ada.dialog().getByLabel('Format').selectOption(image)
    await ada.dialog().getByRole('button', { name: 'OK' }).click()
    const images = await ada.event('onRequestSaveAs') as { url: string }
    t.match(images, { title: 'report.zip', fileType: 'zip' }, `${image} is a zip file of images`)
    t.match(Buffer.from(await (await fetch(images.url)).arrayBuffer()).toString('latin1'), `image1.${image}`)
  }

  await ada.choose('Rename…')
  t.equal(await ada.dialog().getByLabel('Name').inputValue(), 'report')
  await ada.dialog().getByLabel('Name').fill('plan')
  await ada.page.keyboard.press('Enter')
  t.equal(await ada.event('onRequestRename'), 'plan', 'the bare name')
  await ada.choose('Create new')
  t.equal(await ada.event('onRequestCreateNew'), undefined)

  const viewer = await open('K', {
    handled: ['onRequestEditRights', 'onRequestRename', 'onMetaChange'],
    change: config => viewing(withInfo({ favorite: false })(config))
  })
  await viewer.choose('Edit document')
  t.equal(await viewer.event('onRequestEditRights'), undefined)
  t.equal(await viewer.item('Rename…').count(), 0)
  await viewer.choose('Favorite')
  t.strictSame(await viewer.event('onMetaChange'), { favorite: true })
  t.equal(await viewer.item('Favorite').getAttribute('aria-checked'), 'false', 'until the page says so')
  await viewer.call('setFavorite', true)
  await viewer.frame.locator('[aria-checked="true"]', { hasText: 'Favorite' }).waitFor({ state: 'attached' })
  t.strictSame([...ada.problems, ...viewer.problems], [])
})

t.test('who may only comment can mention others, but changes neither the text nor the name', { skip: browser.missing }, async t => {
  const { open } = await startEditing(t, browser)
  const { frame, item, problems } = await open('K', {
    handled: ['onRequestRename', 'onRequestUsers', 'onRequestInsertImage'],
    change: config => ({ ...config, document: { ...config.document, permissions: { edit: false, comment: true } } })
  })
  t.equal(await frame.locator('[data-state]').textContent(), 'Comments only')
  t.equal(await frame.locator('[contenteditable="true"], [data-format], [data-action="save"]:visible').count(), 0)
  t.strictSame(await Promise.all(['Mention', 'Rename…', 'Image…'].map(async name => await item(name).count())), [1, 0, 0])
  t.strictSame(problems, [])
})

t.test('insertImage: of the token only images[].url is read, unsigned images are fetched without a token; the image is in the saved document', { skip: browser.missing }, async t => {
  const editing = await startEditing(t, browser)
  const { host, open, signed } = editing
  host.files.set('/picture', await blank(30, 20))
  host.files.set('/other', await blank(40, 10))
  const { choose, call, event, frame, page, problems } = await open('K', { handled: ['onRequestInsertImage'] })
  await choose('Image…')
  t.strictSame(await event('onRequestInsertImage'), { c: 'add' })
  await call('insertImage', {
    ...signed({ images: [{ url: `${host.origin}/picture` }] }),
    c: 'add',
    images: [{ fileType: 'png', url: `${host.origin}/never` }]
  })
  await frame.getByRole('img', { name: 'Image' }).waitFor()
  t.equal(downloads(editing, '/picture'), 1)
  t.notOk(host.received.some(request => request.path === '/never'))
  await call('insertImage', { c: 'add', images: [{ fileType: 'png', url: `${host.origin}/other` }] })
  await frame.getByRole('img', { name: 'Image' }).nth(1).waitFor()
  t.equal(host.received.find(({ path }) => path === '/other')!.headers.authorization, undefined)
  await call('insertImage', { c: 'add', images: [], token: 'a.b.c' })
  t.match(await event('onError'), { errorCode: -20 })

  const saved = new Promise<Uint8Array>(resolve => {
    host.beforeAnswer = async ({ status, url }) => {
      if (status === 2) resolve(new Uint8Array(await (await fetch(String(url))).arrayBuffer()))
    }
  })
  await page.evaluate('editor.destroyEditor()')
  const { parts, text } = openPackage(await saved)
  t.strictSame([...parts.keys()].filter(name => name.startsWith('word/media/')), [
    'word/media/inserted1.png', 'word/media/inserted2.png'
  ])
  t.match(text('word/_rels/document.xml.rels'), 'Target="media/inserted2.png"')
  t.match(text('[Content_Types].xml'), 'Extension="png"')
  t.match(text('word/document.xml'), 'r:embed="rId_inserted1_png"')
  t.strictSame(problems, [])
})

t.test('compare, combine, text from a file and mail merge: the document server fetches what setRequestedDocument and setRequestedSpreadsheet sign', { skip: browser.missing }, async t => {
  const editing = await startEditing(t, browser)
  const { host, open, signed } = editing
  host.files.set('/other.docx', fixture('handbook.docx'))
  host.files.set('/people.csv', Buffer.from('Name,Email\nAda,ada@example.com\nGrace,grace@example.com\n'))
  const { choose, call, dialog, event, frame, sent, type } = await open('K', {
    handled: ['onRequestSelectDocument', 'onRequestSelectSpreadsheet', 'onRequestUsers']
  })
  t.strictSame(await event('onRequestUsers'), { c: 'info', id: ['uid-1'] })
  await type(' of mine')
  await sent()
  for (const [name, c] of [['Compare', 'compare'], ['Combine', 'combine']] as const) {
    await choose(name)
    t.strictSame(await event('onRequestSelectDocument'), { c })
    await call('setRequestedDocument', signed({ c, fileType: 'docx', url: `${host.origin}/other.docx` }))
    await dialog().locator('[data-paragraph]').first().waitFor()
    await dialog().getByRole('button', { name: 'Done' }).click()
  }
  t.strictSame(await event('onRequestUsers'), { c: 'info', id: [''] }, 'an unknown author, of the combined document')
  await choose('Text from file')
  t.strictSame(await event('onRequestSelectDocument'), { c: 'insert-text' })
  host.files.set('/lines.txt', Buffer.from('a line\nfrom a file\n'))
  await call('setRequestedDocument', signed({ c: 'insert-text', fileType: 'txt', url: `${host.origin}/lines.txt` }))
  await frame.locator('[data-paragraph]', { hasText: 'from a file' }).waitFor()
  await type(', again')
  await sent()
  t.equal(downloads(editing, '/other.docx'), 2)
  await choose('Mail merge')
  t.strictSame(await event('onRequestSelectSpreadsheet'), { c: 'mailmerge' })
  await call('setRequestedSpreadsheet', signed({ c: 'mailmerge', fileType: 'csv', url: `${host.origin}/people.csv` }))
  await dialog().getByRole('cell', { name: 'grace@example.com' }).waitFor()
  await dialog().getByText('2 recipients').waitFor()
  await dialog().getByRole('button', { name: 'Done' }).click()
  await call('setRequestedDocument', { c: 'compare', fileType: 'docx', url: `${host.origin}/other.docx` })
  t.match(await event('onError'), { errorCode: -20 }, 'without a token')
  await call('setRequestedDocument', signed({ c: 'compare', fileType: 'docx', url: `${host.origin}/missing.docx` }))
  t.match(await event('onError'), { errorCode: -4 })
  await frame.locator('[data-paragraph]').first().waitFor()
})

t.test('a linked cell asks for its data, exactly once: an answer that nobody asked for crashes the editor; its source can be opened and changed', { skip: browser.missing }, async t => {
  const { host, open, signed } = await startEditing(t, browser)
  host.files.set('/orders2.csv', Buffer.from('4711,x\n'))
  host.files.set('/orders3.csv', Buffer.from('4712,x\n'))
  const handled = ['onRequestReferenceData', 'onRequestReferenceSource', 'onRequestOpen']
  const { choose, call, dialog, event, frame, page } = await open('K', { file: 'table.csv', handled })
  const grid = frame.getByRole('grid')
  await frame.locator('[data-cell="A1"]').click()
  await page.keyboard.type('=[orders2.csv]Sheet1!A1')
  await page.keyboard.press('Enter')
  t.strictSame(await event('onRequestReferenceData'), { path: 'orders2.csv' })
  const data = {
    fileType: 'csv',
    key: 'other',
    path: 'orders2.csv',
    url: `${host.origin}/orders2.csv`,
    referenceData: { fileKey: 'other', instanceId: 'here' }
  }
  await call('setReferenceData', signed(data))
  await grid.getByText('4711').waitFor()

  const popup = page.waitForEvent('popup')
  await choose('Open source')
  t.match(await event('onRequestOpen'), {
    path: 'orders2.csv',
    referenceData: { fileKey: 'other' },
    windowName: /^wname-/
  })
  await (await popup).close()
  await choose('Change source')
  t.match(await event('onRequestReferenceSource'), { path: 'orders2.csv', referenceData: { fileKey: 'other' } })
  await call('setReferenceSource', signed({ ...data, url: `${host.origin}/orders3.csv` }))
  await grid.getByText('4712').waitFor()

  await choose('Reference')
  await dialog().getByLabel('Formula').fill('=[missing.csv]Sheet1!A1')
  await page.keyboard.press('Enter')
  t.strictSame(await event('onRequestReferenceData'), { path: 'missing.csv' })
  // It shows for some seconds only.
  await Promise.all([
    frame.getByText('There is no such file').waitFor(), call('setReferenceData', { error: 'There is no such file' })
  ])
  await call('setReferenceData', { error: 'once more' })
  t.match(await event('onWarning'), { warningCode: -25 })
  await frame.getByText('The editor has crashed').waitFor()
})

t.test('users: names of those present are requested when it opens, and of others while @ is typed; who is mentioned is notified, with a link to the comment', { skip: browser.missing }, async t => {
  const { open } = await startEditing(t, browser)
  const { choose, call, dialog, event, frame, page, problems } = await open('K', {
    handled: ['onRequestUsers', 'onRequestSendNotify']
  })
  t.strictSame(await event('onRequestUsers'), { c: 'info', id: ['uid-1'] })
  await call('setUsers', { c: 'info', users: [{ id: 'uid-1', name: 'Ada King' }] })
  await frame.getByRole('listitem', { name: 'Ada King (you)' }).waitFor()

  await choose('Mention')
  await dialog().getByLabel('Comment').fill('Look @g')
  t.strictSame(await event('onRequestUsers'), { c: 'mention', from: 0, count: 100, search: 'g' })
  await call('setUsers', { c: 'mention', users: [{ id: 'grace', email: 'grace@example.com', name: 'Grace Hopper' }] })
  await dialog().getByRole('button', { name: 'Grace Hopper' }).click()
  t.equal(await dialog().getByLabel('Comment').inputValue(), 'Look +grace@example.com ')
  await page.keyboard.type('please')
  await dialog().getByRole('button', { name: 'OK' }).click()
  t.match(await event('onRequestSendNotify'), {
    emails: ['grace@example.com'],
    actionId: String,
    actionLink: { action: { type: 'comment', data: String } },
    message: 'Look +grace@example.com please'
  })
  t.strictSame(problems, [])
})

t.test('a link to a place leads to it in another page; sharing settings are shown by the access rights only, and crash an editor without document.info', { skip: browser.missing }, async t => {
  const { open } = await startEditing(t, browser)
  const handled = ['onMakeActionLink', 'onRequestSharingSettings']
  const { choose, call, dialog, event, frame } = await open('K', { handled, change: withInfo({ owner: 'Ada' }) })
  await frame.locator('[data-paragraph]').last().click()
  await choose('Link to this place')
  const link = await event('onMakeActionLink') as { action: { type: string, data: string } }
  t.equal(link.action.type, 'bookmark')
  await call('setActionLink', 'https://app.example/edit/1?action-link=x')
  t.equal(await dialog().getByLabel('Link').inputValue(), 'https://app.example/edit/1?action-link=x')
  await dialog().getByRole('button', { name: 'Done' }).click()
  await choose('Sharing')
  t.equal(await event('onRequestSharingSettings'), undefined)
  await call('setSharingSettings', {
    sharingSettings: [
      { user: 'Grace', permissions: 'Full Access' },
      { user: 'Everybody', permissions: 'Read Only', isLink: true }
    ]
  })
  t.equal(await dialog().count(), 0, 'nothing is shown by itself')
  await choose('Access rights')
  t.strictSame(await dialog().getByRole('listitem').allInnerTexts(), [
    'Grace: Full Access', 'Everybody: Read Only (link)'
  ])

  const linked = await open('K', {
    handled,
    change: config => ({ ...config, editorConfig: { ...config.editorConfig, actionLink: link } })
  })
  t.equal(
    await linked.frame.locator('[aria-current="location"]').textContent(),
    await frame.locator('[data-paragraph]').last().textContent()
  )
  await linked.call('setSharingSettings', { sharingSettings: [] })
  t.match(await linked.event('onWarning'), { warningCode: -25 })
})

t.test('an outdated key asks for a fresh configuration, which refreshFile opens; without a handler it opens for viewing and onOutdatedVersion tells', { skip: browser.missing }, async t => {
  const { config, host, open, server } = await startEditing(t, browser)
  const session = await server.open(host.config('old'))
  await session.edit('saved')
  await session.close()
  const viewer = await open('old', { handled: ['onOutdatedVersion'] })
  t.equal(await viewer.event('onOutdatedVersion'), undefined)
  t.ok((await viewer.events()).some(([name]) => name === 'onDocumentReady'))
  t.equal(await textBox(viewer.frame).count(), 0, 'for viewing')

  const { call, event, events, frame, problems, type, sent } = await open('old', {
    handled: ['onOutdatedVersion', 'onRequestRefreshFile']
  })
  t.equal(await event('onRequestRefreshFile'), undefined)
  t.notOk(
    (await events()).some(([name]) => name === 'onDocumentReady' || name === 'onOutdatedVersion'),
    'it takes precedence'
  )
  await call('refreshFile', config('new'))
  await event('onDocumentReady')
  await frame.locator('[data-paragraph]').first().waitFor()
  await type('goes on')
  await sent()
  t.strictSame((await server.open(host.config('new'))).viewOnly, false)
  t.strictSame(problems, [])
})
