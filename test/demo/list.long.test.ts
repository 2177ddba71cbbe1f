import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { editorFrame, startBrowser, textBox, widthOf } from '../kit/browser.js'
import { startDemo, temporaryDirectory } from '../kit/programs.js'

const browser = await startBrowser(t)
const directory = await temporaryDirectory(t)
const demo = await startDemo(t, { directory })
const REPORT = await readFile(new URL('../../examples/demo/documents/Opening week.docx', import.meta.url))
const DAMAGED = REPORT.subarray(0, REPORT.length / 2)
const REFUSED_UPLOADS = /status of 4(00|15|22)/

/** Runs in the page. */
const colorOf = (element: unknown) =>
  (globalThis as unknown as { getComputedStyle(element: unknown): { color: string } }).getComputedStyle(element).color

interface File {
  readonly name: string
  readonly content: string | Buffer
}

function upload (page: Page, files: readonly File[]): Promise<void> {
  return page.getByLabel('Upload', { exact: true }).setInputFiles(
    files.map(({ name, content }) => ({ name, mimeType: '', buffer: Buffer.from(content) }))
  )
}

/** Names in the order of the list. */
function names (page: Page): Promise<string[]> {
  return page.getByRole('list', { name: 'All documents' }).locator('li:visible .name a').allTextContents()
}

function row (page: Page, name: string): Locator {
  return page.getByRole('list', { name: 'All documents' }).getByRole('listitem').filter({
    has: page.getByRole('link', { name, exact: true })
  })
}

/** Opens what the bar of every page offers. */
async function openPreferences (page: Page): Promise<void> {
  await page.getByRole('button', { name: /^(Mira|Jonas|Teodora) / }).click()
}

async function choose (page: Page, name: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `More for ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

t.test('demo: of many uploads, those that fail say why and stay, in a color of their own, and the others are stored', {
  skip: browser.missing
}, async t => {
  const { page, problems } = await browser.newPage(t)
  // What was uploaded stays in the list of uploads, which is closed below.
  await page.addInitScript('const later = setTimeout; setTimeout = (run, ms) => ms === 6000 ? 0 : later(run, ms)')
  await page.goto(demo.url)
  await upload(page, [
    { name: 'program.docx', content: 'MZ this is a program' },
    { name: 'empty.docx', content: '' },
    { name: 'damaged.docx', content: DAMAGED },
    { name: 'program.exe', content: 'MZ' },
    { name: 'con.txt', content: 'a device of Windows' },
    { name: 'good.docx', content: REPORT },
    { name: 'Shopping list.md', content: 'the name is taken' }
  ])
  const uploads = page.getByRole('region', { name: 'Uploads' })
  const failed = uploads.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Try again/ }) })
  await row(page, 'good.docx').waitFor()
  await row(page, 'Shopping list (2).md').waitFor()
  t.ok(REPORT.equals(await demo.download('good.docx')))
  t.strictSame(await failed.locator('.name').allTextContents(), [
    'program.docx',
    'empty.docx',
    'damaged.docx',
    'program.exe',
    'con.txt'
  ])
  t.strictSame(await failed.locator('.note').allTextContents(), [
    'The content of this file is not what its name says.',
    'This file is empty.',
    'This file is damaged.',
    'Files of this kind can\'t be opened in the editor.',
    'Windows can\'t use this name. Choose another one.'
  ])
  const [failure, success] = await Promise.all(
    [failed.first().locator('.note'), uploads.locator('.done .note').first()].map(note => note.evaluate(colorOf))
  )
  t.not(failure, success)
  t.match(await page.getByRole('status').textContent(), 'Shopping list (2).md was uploaded', 'assistive technology is told')

  await failed.first().getByRole('button', { name: 'Close: program.docx' }).click()
  t.equal(await failed.count(), 4)
  await uploads.getByRole('button', { name: 'Try again: damaged.docx' }).click()
  await uploads.getByText('This file is damaged.').waitFor()
  await uploads.getByRole('button', { name: 'Close', exact: true }).click()
  await uploads.waitFor({ state: 'hidden' })
  t.equal(problems.filter(problem => !REFUSED_UPLOADS.test(problem)).length, 0, problems.join())

  // The server is gone for a moment.
  await page.route('**/documents?name=*', route => route.abort())
  await upload(page, [{ name: 'later.txt', content: 'text' }])
  await uploads.getByText('The server is not reachable.').waitFor()
  await page.unroute('**/documents?name=*')
  await uploads.getByRole('button', { name: 'Try again: later.txt' }).click()
  await row(page, 'later.txt').waitFor()
  await page.route(demo.url + '/', route => route.abort())
  await page.getByRole('alert').filter({ hasText: 'The server is not reachable' }).waitFor()
  await page.unroute(demo.url + '/')
  await page.getByText('The server is not reachable').waitFor({ state: 'hidden' })
  t.equal(await row(page, 'later.txt').count(), 1)
})

t.test(
  'demo: the list can be sorted and searched; order, view and theme are remembered',
  { skip: browser.missing },
  async t => {
    const { page, problems } = await browser.newPage(t, { colorScheme: 'light' })
    await page.goto(demo.url)
    const byName = await names(page)
    t.strictSame(byName, byName.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })))
    const first = (name: string) =>
      page.locator('.documents li:first-child').filter({ has: page.getByRole('link', { name, exact: true }) }).waitFor()
    await page.getByLabel('Sort by').selectOption('Largest')
    await first('Opening week.pdf')
    await choose(page, 'Shopping list.md', 'Add to favorites')
    await page.getByRole('status').getByText('Shopping list.md is a favorite').waitFor({ state: 'attached' })
    await row(page, 'Shopping list.md').getByRole('img', { name: 'Favorite' }).waitFor()
    await page.getByLabel('Sort by').selectOption('Favorites first')
    await first('Shopping list.md')

    const search = page.getByLabel('Search documents')
    await search.fill('WÉEK open')
    t.strictSame(await names(page), ['Opening week.docx', 'Opening week.pdf'])
    t.equal(await page.getByRole('status').textContent(), '2 documents')
    await search.fill('no such')
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    await page.getByRole('button', { name: 'Show all documents' }).click()
    t.equal((await names(page)).length, byName.length)

    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const light = await background()
    await openPreferences(page)
    await page.getByRole('switch', { name: 'Dark mode' }).click()
    t.not(await background(), light)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Large previews' }).click()
    await page.getByRole('link', { name: 'Handbook.docx', exact: true }).click()
    t.equal(
      await (await editorFrame(page)).evaluate('getComputedStyle(document.documentElement).colorScheme'),
      'dark',
      'the editor is dark as well'
    )
    await openPreferences(page)
    await page.getByLabel('Language of the editor').selectOption('Deutsch')
    await page.waitForFunction('document.querySelector("[data-onlyoffice-editor] > script")?.textContent.includes(`"lang":"de"`)')
    await editorFrame(page)
    await openPreferences(page)
    await page.getByRole('link', { name: 'Jonas Feldt' }).click()
    await page.waitForURL('**/edit/*?user=jonas')
    await editorFrame(page)
    await openPreferences(page)
    t.equal(await page.getByLabel('Language of the editor').inputValue(), 'de')
    await page.keyboard.press('Escape')
    await Promise.all([page.waitForURL('**/?user=jonas'), page.getByRole('link', { name: 'Documents' }).click()])
    await openPreferences(page)
    await page.getByRole('switch', { name: 'Dark mode', checked: true }).waitFor()
    t.equal((await names(page))[0], 'Shopping list.md')
    t.not(await background(), light)
    t.equal(await page.getByRole('button', { name: 'Large previews' }).getAttribute('aria-pressed'), 'true')
    await page.getByRole('switch', { name: 'Dark mode' }).click()
    t.equal(await background(), light)
    await page.emulateMedia({ colorScheme: 'dark' })
    t.not(await background(), light, 'without a choice the page follows the system')

    await page.setViewportSize({ width: 390, height: 780 })
    t.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, 'nothing is wider than a phone')
    t.ok((await page.locator('.bar').boundingBox())!.height < 60, 'one bar')
    t.strictSame(problems, [])
  }
)

t.test('demo: after a conflict, both contents are listed', { skip: browser.missing }, async t => {
  const { page } = await browser.newPage(t)
  await page.goto(demo.url)
  await upload(page, [{ name: 'shared.txt', content: 'first' }])
  await row(page, 'shared.txt').waitFor()
  const { page: editing } = await browser.newPage(t)
  await editing.goto(
    new URL(
      (await row(page, 'shared.txt').getByRole('link', { name: 'shared.txt', exact: true }).getAttribute('href'))!,
      demo.url
    ).href
  )
  const editor = await editorFrame(editing)
  await textBox(editor).fill('of the editor')
  await editor.waitForSelector('[data-state="received"]')
  const id = await row(page, 'shared.txt').getAttribute('data-id')
  await writeFile(join(directory, 'uploads', `${id}.txt`), 'of another program')
  await editing.close()

  await row(page, 'shared (conflict copy).txt').waitFor()
  t.equal(Buffer.from(await demo.download('shared.txt')).toString(), 'of another program')
  t.equal(Buffer.from(await demo.download('shared (conflict copy).txt')).toString(), 'of the editor')
})

t.test('demo: documents are renamed, copied, converted, deleted and restored', { skip: browser.missing }, async t => {
  const { page, problems } = await browser.newPage(t)
  await page.goto(demo.url)
  const dialog = page.getByRole('dialog')

  await choose(page, 'Meeting notes.txt', 'Rename…')
  await dialog.getByLabel('Name').fill('  ')
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await dialog.getByRole('alert').filter({ hasText: 'Type a name.' }).waitFor()
  await dialog.getByLabel('Name').fill('Minutes <b>')
  await dialog.getByRole('button', { name: 'Rename' }).click()
  const refusal = dialog.getByRole('alert').filter({ hasText: 'A name can\'t contain any of' })
  await refusal.waitFor()
  const name = dialog.getByLabel('Name')
  t.equal(await name.inputValue(), 'Minutes <b>', 'what was typed is still there')
  t.equal(await name.getAttribute('aria-invalid'), 'true')
  t.equal(await name.getAttribute('aria-describedby'), await refusal.getAttribute('id'))
  t.ok(await name.evaluate('document.activeElement.id === "rename-name"'), 'and can be corrected at once')
  await name.fill('Minutes & more')
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await row(page, 'Minutes & more.txt').waitFor()
  t.equal(await row(page, 'Meeting notes.txt').count(), 0)
  problems.splice(0) // the browser reports the refusal

  await choose(page, 'Minutes & more.txt', 'Make a copy')
  await row(page, 'Minutes & more – copy.txt').waitFor()
  t.same(await demo.download('Minutes & more – copy.txt'), await demo.download('Minutes & more.txt'))

  await choose(page, 'Book orders.csv', 'Convert…')
  await dialog.getByLabel('Format').selectOption('PDF (.pdf)')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click()
  ])
  t.equal(download.suggestedFilename(), 'Book orders.pdf')
  t.equal((await readFile(await download.path())).subarray(0, 5).toString(), '%PDF-')
  await choose(page, 'Book orders.csv', 'Convert…')
  await dialog.getByRole('button', { name: 'Add to the documents' }).click()
  await row(page, 'Book orders.pdf').waitFor()

  await choose(page, 'Book orders.pdf', 'Delete…')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await choose(page, 'Book orders.pdf', 'Delete…')
  await page.getByRole('dialog', { name: 'Delete Book orders.pdf?' }).getByRole('button', { name: 'Delete' }).click()
  await row(page, 'Book orders.pdf').waitFor({ state: 'detached' })
  t.equal((await fetch(`${demo.url}/documents/${await demo.idOf('Book orders.pdf')}/download`)).status, 404)
  await page.getByRole('button', { name: 'Undo' }).click()
  await row(page, 'Book orders.pdf').waitFor()

  const id = await demo.idOf('Book orders.pdf')
  await choose(page, 'Book orders.pdf', 'Delete…')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Recently deleted (1)').click()
  await page.getByRole('button', { name: 'Delete Book orders.pdf for good' }).click()
  await Promise.all([
    page.waitForResponse(/\/purge$/),
    dialog.getByRole('button', { name: 'Delete for good' }).click()
  ])
  await page.getByText('Recently deleted').waitFor({ state: 'detached' })
  t.notOk((await readFile(join(directory, 'documents.json'), 'utf8')).includes(id))
  await t.rejects(readFile(join(directory, 'uploads', `${id}.pdf`)), { code: 'ENOENT' })
  t.strictSame(problems, [])
})

t.test(
  'demo: with the keyboard alone, a document is found, renamed and opened, a new one is created and closed, and the focus is never lost',
  { skip: browser.missing },
  async t => {
    const { page, problems } = await browser.newPage(t, { locale: 'de-DE' })
    const { keyboard } = page
    const focused = () =>
      page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent.trim()')
    const tabTo = async (name: string) => {
      for (let step = 0; step < 100 && await focused() !== name; step++) await keyboard.press('Tab')
      t.equal(await focused(), name)
    }
    await page.goto(demo.url)
    await keyboard.press('Tab')
    t.equal(await focused(), 'Skip to the content')
    await keyboard.press('Enter')
    await tabTo('More for Budget.xlsx')
    await keyboard.press('Enter')
    t.equal(await focused(), 'Open')
    await keyboard.press('ArrowUp')
    t.equal(await focused(), 'Delete…')
    await keyboard.press('ArrowDown')
    t.equal(await focused(), 'Open')
    await keyboard.press('Escape')
    t.equal(await focused(), 'More for Budget.xlsx')
    await keyboard.press('ArrowDown')
    await keyboard.press('r')
    await keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Rename Budget.xlsx' }).waitFor()
    await page.waitForFunction('getSelection().toString() === "Budget" || document.activeElement.selectionEnd === 6')
    await keyboard.type('Sales')
    await keyboard.press('Enter')
    await row(page, 'Sales.xlsx').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.locator('[data-documents] :focus').waitFor()
    t.equal(await focused(), 'More for Sales.xlsx', 'the row was replaced, and the focus is in the new one')

    await page.getByRole('button', { name: 'New' }).focus()
    await keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'New document' })
    await dialog.waitFor()
    t.equal(await page.getByLabel('Language of the editor').inputValue(), 'de', 'the language of the browser')
    await keyboard.press('ArrowRight')
    t.ok(await dialog.getByRole('radio', { name: 'Excel workbook', exact: true }).isChecked())
    await keyboard.press('ArrowLeft')
    await keyboard.press('Tab')
    await keyboard.type('Entwurf')
    await keyboard.press('Enter')
    await editorFrame(page)
    t.equal(await page.getByRole('heading', { level: 1 }).first().textContent(), 'Entwurf.docx')
    await page.getByRole('link', { name: 'Documents' }).press('Enter')
    await page.waitForURL(`${demo.url}/?user=*`)
    await row(page, 'Entwurf.docx').waitFor()
    t.match((await demo.download('Entwurf.docx')).subarray(0, 2), Buffer.from('PK'))
    t.strictSame(problems, [])
  }
)

t.test(
  'demo: others see who is editing; earlier versions are listed and restored; a save without a document is recovered',
  { skip: browser.missing },
  async t => {
    const { page: mira, problems } = await browser.newPage(t)
    const { page: jonas } = await browser.newPage(t)
    const id = await demo.idOf('Shopping list.md')
    const before = Buffer.from(await demo.download('Shopping list.md')).toString()
    await jonas.goto(`${demo.url}/edit/${id}?user=jonas`)
    let editor = await editorFrame(jonas)
    await mira.goto(`${demo.url}/?user=mira`)
    await row(mira, 'Shopping list.md').getByText('Jonas Feldt is editing').waitFor()
    await choose(mira, 'Shopping list.md', 'Delete…')
    await mira.getByRole('dialog').getByText('Jonas Feldt is editing, and the editor will be closed.').waitFor()
    await mira.keyboard.press('Escape')
    await choose(mira, 'Shopping list.md', 'Rename…')
    await mira.getByRole('dialog').getByLabel('Name').fill('Board')
    await mira.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await jonas.getByRole('heading', { level: 1, name: 'Board.md' }).waitFor()
    await row(mira, 'Board.md').waitFor()

    await editor.getByRole('button', { name: 'Favorite' }).click()
    await row(mira, 'Board.md').getByRole('img', { name: 'Favorite' }).waitFor()
    await editor.getByRole('button', { name: 'Mention' }).click()
    const comment = editor.getByRole('dialog')
    await comment.getByLabel('Comment').pressSequentially('Is this right, @Mi')
    await comment.getByRole('button', { name: 'Mira Sandoval' }).click()
    await comment.getByRole('button', { name: 'OK' }).click()
    await mira.getByText('Jonas Feldt mentioned you in Board.md').waitFor()
    t.match(await mira.locator('.quote').textContent(), 'Is this right')
    t.match(
      await mira.locator('.message').getByRole('link', { name: 'Board.md' }).getAttribute('href'),
      /^\/edit\/[^/?]+\?action-link=/
    )
    await mira.getByRole('button', { name: 'Dismiss the message from Jonas Feldt' }).click()
    await mira.getByText('mentioned you').waitFor({ state: 'detached' })

    await textBox(editor).fill('changed by Jonas')
    await jonas.getByRole('link', { name: 'Documents' }).click()
    await jonas.waitForURL(`${demo.url}/?user=jonas`)
    while (Buffer.from(await demo.download('Board.md')).toString() === before); // each round is a download
    await row(mira, 'Board.md').getByText('is editing').waitFor({ state: 'detached' })

    await choose(mira, 'Board.md', 'Version history')
    await mira.getByRole('list', { name: 'Versions' }).getByText('The document now · Jonas Feldt').waitFor()
    await mira.waitForLoadState()
    for (const version of ['0', '-1', '1e0', '..%2f1', '%2e%2e', '99999999999']) {
      t.equal((await fetch(`${demo.url}/documents/${id}/versions/${version}`)).status, 404, version)
    }
    const [download] = await Promise.all([
      mira.waitForEvent('download'),
      mira.getByRole('link', { name: 'Download version 1' }).click()
    ])
    t.equal(download.suggestedFilename(), 'Board (version 1).md')
    t.equal(await readFile(await download.path(), 'utf8'), before)
    await Promise.all([mira.waitForEvent('load'), mira.getByRole('button', { name: 'Restore version 1' }).click()])
    await mira.getByText('Mira Sandoval · restored from version 1').waitFor()
    t.equal(Buffer.from(await demo.download('Board.md')).toString(), before)

    // Somebody else removes the file while it is edited: nobody takes the save.
    await jonas.goto(`${demo.url}/edit/${id}?user=jonas`)
    editor = await editorFrame(jonas)
    await textBox(editor).fill('nearly lost')
    await editor.waitForSelector('[data-state="received"]')
    await rm(join(directory, 'uploads', `${id}.md`))
    await jonas.getByRole('link', { name: 'Documents' }).click()
    await jonas.waitForURL(`${demo.url}/?user=jonas`)
    await Promise.all([mira.waitForURL(url => url.pathname === '/'), mira.getByRole('link', { name: 'Documents' }).click()])
    await openPreferences(mira)
    await Promise.all([
      mira.waitForURL('**/forgotten?*'),
      mira.getByRole('link', { name: 'Saves that did not arrive' }).click()
    ])
    const waiting = mira.getByRole('list', { name: 'Saves' })
    while (await waiting.count() === 0) await mira.reload()
    t.match(await waiting.textContent(), 'A document that was deleted')
    await mira.waitForLoadState() // the script runs before
    await mira.getByRole('button', { name: 'Store them' }).click()
    await mira.getByRole('heading', { name: 'What became of them' }).waitFor()
    t.match(await waiting.textContent(), 'Stored as a new document')
    t.equal(Buffer.from(await demo.download('Recovered document.md')).toString(), 'nearly lost')
    t.strictSame(problems, [])
  }
)

t.test('demo: what the editor asks for is answered with the documents, images and users of the demo', {
  skip: browser.missing
}, async t => {
  const { page, problems } = await browser.newPage(t)
  const report = await demo.idOf('Opening week.docx')
  await page.goto(`${demo.url}/edit/${report}?user=teodora&mode=view`)
  let editor = await editorFrame(page)
  const ask = (name: string) => page.frameLocator('iframe').getByRole('button', { name, exact: true }).click()
  const inEditor = page.frameLocator('iframe').getByRole('dialog')
  const chooser = page.getByRole('dialog')

  await ask('Edit document')
  await page.frameLocator('iframe').getByRole('button', { name: 'Rename…' }).waitFor()
  editor = await editorFrame(page)
  await ask('Insert image')
  await chooser.getByRole('button', { name: 'Logo' }).waitFor()
  t.ok(await chooser.locator('img').first().evaluate(widthOf), 'a preview, which the policy allows')
  await chooser.getByLabel('Search').fill('mount')
  await chooser.getByRole('button', { name: 'Logo' }).waitFor({ state: 'detached' })
  await chooser.getByRole('button', { name: 'Mountains' }).click()
  await editor.getByText('An image was inserted').waitFor()
  await ask('Compare')
  t.equal(await chooser.getByRole('button', { name: 'Opening week.docx' }).count(), 0, 'not with itself')
  await chooser.getByRole('button', { name: 'Handbook.docx' }).click()
  await inEditor.getByRole('heading', { name: 'Comparison' }).waitFor()
  await inEditor.getByRole('button', { name: 'Done' }).click()
  await ask('Mail merge')
  await chooser.getByRole('button', { name: 'Book orders.csv' }).click()
  await inEditor.getByRole('button', { name: 'Done' }).click()
  await ask('Sharing')
  const access = page.getByRole('dialog', { name: 'Who has access' })
  await access.getByText('Mira Sandoval').waitFor()
  await access.getByRole('button', { name: 'OK' }).click()

  await ask('Rename…')
  await inEditor.getByLabel('Name').fill('Final report')
  await inEditor.getByRole('button', { name: 'OK' }).click()
  await page.getByRole('heading', { level: 1, name: 'Final report.docx' }).waitFor()
  t.equal(await demo.idOf('Final report.docx'), report)
  await ask('Save copy as…')
  await inEditor.getByLabel('Format').selectOption('txt')
  await inEditor.getByRole('button', { name: 'OK' }).click()
  await page.getByText('A copy was saved as Final report.txt').waitFor()
  t.match(Buffer.from(await demo.download('Final report.txt')).toString(), 'Entrance is free.')
  await page.getByRole('button', { name: 'OK', exact: true }).click()

  await ask('Create new')
  const templates = page.getByRole('dialog')
  await templates.getByRole('button', { name: 'Leave request' }).waitFor()
  const [created] = await Promise.all([
    page.context().waitForEvent('page'),
    templates.getByRole('button', { name: 'Blank document' }).click()
  ])
  await editorFrame(created)
  t.equal(await created.getByRole('heading', { level: 1 }).textContent(), 'Untitled.docx')
  t.match(
    await created.locator('[data-onlyoffice-editor] > script').textContent(),
    '"user":{"id":"teodora"',
    'still the same user'
  )
  await created.close()
  const link = `${demo.url}/edit/${report}?user=teodora&action-link=%7B%22action%22%3A%7B%7D%7D`
  t.match(
    await (await fetch(link, { headers: { cookie: 'user=jonas' } })).text(),
    '"user":{"id":"jonas"',
    'whoever follows a link to a place stays who they are'
  )
  t.strictSame(problems, [])

  // Linked cells.
  await page.goto(`${demo.url}/edit/${await demo.idOf('Sales.xlsx')}`)
  await editorFrame(page)
  await ask('Reference')
  await inEditor.getByLabel('Formula').fill('=[Book orders.csv]Sheet1!B1')
  await inEditor.getByRole('button', { name: 'OK' }).click()
  await Promise.race([
    page.frameLocator('iframe').getByText('author').first().waitFor(),
    page.frameLocator('iframe').getByText('The linked file was not found').waitFor()
  ])
  t.equal(await page.frameLocator('iframe').getByText('The linked file was not found').count(), 0)
})

t.test('demo: other sites can change nothing, and a name that cannot be shown is refused', async t => {
  const id = await demo.idOf('Handbook.docx')
  const json = { 'content-type': 'application/json' }
  const before = await readFile(join(directory, 'documents.json'), 'utf8')
  for (
    const [method, path, body] of [
      ['POST', '/documents?name=a.md', 'text'],
      ['POST', '/documents/new', '{"format":"docx","name":"x"}'],
      ['PATCH', `/documents/${id}`, '{"name":"x"}'],
      ['POST', `/documents/${id}/copy`, '{}'],
      ['POST', `/documents/${id}/convert`, '{"format":"pdf","add":true}'],
      ['DELETE', `/documents/${id}`, '{}'],
      ['POST', `/documents/${id}/versions/1/restore`, '{}'],
      ['POST', '/forgotten/recover', '{}']
    ] as const
  ) {
    for (const site of ['cross-site', 'same-site']) {
      t.equal(
        (await fetch(demo.url + path, { method, body, headers: { ...json, 'sec-fetch-site': site } })).status,
        403,
        `${method} ${path} ${site}`
      )
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      t.equal(
        (await fetch(demo.url + path, { method, body, headers: { 'content-type': type } })).status,
        415,
        `${method} ${path} ${type}`
      )
    }
  }
  for (const name of ['', ' ', '\u202e', 1, null, ['a'], 'x'.repeat(300)]) {
    const { status } = await fetch(`${demo.url}/documents/${id}`, {
      method: 'PATCH',
      headers: json,
      body: JSON.stringify({ name })
    })
    t.equal(status, 400, JSON.stringify(name))
  }
  for (const format of ['exe', '../x', '', 'constructor', 7]) {
    t.equal(
      (await fetch(`${demo.url}/documents/new`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ format, name: 'x' })
      })).status,
      415,
      String(format)
    )
    t.equal(
      (await fetch(`${demo.url}/documents/${id}/convert`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ format })
      })).status,
      415,
      String(format)
    )
  }
  t.equal(
    (await fetch(`${demo.url}/documents/${id}/purge`, { method: 'POST', headers: json, body: '{}' })).status,
    404,
    'only what was deleted before'
  )
  t.equal(await readFile(join(directory, 'documents.json'), 'utf8'), before)
})
