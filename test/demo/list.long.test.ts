import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { choose as chooseInEditor, editorFrame, startBrowser, textBox } from '../kit/browser.js'
import { send } from '../kit/http.js'
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

function row (page: Page, name: string): Locator {
  return page.getByRole('table', { name: 'All documents' }).getByRole('row').filter({
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
    'program.docx', 'empty.docx', 'damaged.docx', 'program.exe', 'con.txt'
  ])
  t.strictSame(await failed.locator('.note').allTextContents(), [
    'The content of this file is not what its name says.', 'This file is empty.', 'This file is damaged.',
    'Files of this kind can\'t be opened in the editor.', 'Windows can\'t use this name. Choose another one.'
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
    page.waitForEvent('download'), dialog.getByRole('button', { name: 'Download' }).click()
  ])
  t.equal(download.suggestedFilename(), 'Book orders.pdf')
  t.equal((await readFile(await download.path())).subarray(0, 5).toString(), '%PDF-')
  await choose(page, 'Book orders.csv', 'Convert…')
  await dialog.getByRole('button', { name: 'Add to the documents' }).click()
  await row(page, 'Book orders.pdf').waitFor()

  await choose(page, 'Book orders.pdf', 'Move to bin…')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await choose(page, 'Book orders.pdf', 'Move to bin…')
  await page.getByRole('dialog', { name: 'Move Book orders.pdf to the bin?' }).getByRole('button', { name: 'Move to bin' }).click()
  await row(page, 'Book orders.pdf').waitFor({ state: 'detached' })
  t.equal((await fetch(`${demo.url}/documents/${await demo.idOf('Book orders.pdf')}/download`)).status, 404)
  await page.getByRole('button', { name: 'Undo' }).click()
  await row(page, 'Book orders.pdf').waitFor()

  const id = await demo.idOf('Book orders.pdf')
  await choose(page, 'Book orders.pdf', 'Move to bin…')
  await dialog.getByRole('button', { name: 'Move to bin' }).click()
  await page.getByText('Bin (1)').click()
  await page.getByRole('button', { name: 'Delete Book orders.pdf for good' }).click()
  await Promise.all([
    page.waitForResponse(/\/purge$/), dialog.getByRole('button', { name: 'Delete for good' }).click()
  ])
  await page.getByText('Bin (').waitFor({ state: 'detached' })
  t.notOk((await readFile(join(directory, 'documents.json'), 'utf8')).includes(id))
  await t.rejects(readFile(join(directory, 'uploads', `${id}.pdf`)), { code: 'ENOENT' })
  t.strictSame(problems, [])
})

t.test('demo: several documents are selected, moved to the bin, and restored together', { skip: browser.missing }, async t => {
  const { page, problems } = await browser.newPage(t)
  await page.goto(demo.url)
  const names = ['Handbook.docx', 'Opening week.pdf']
  for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  const selection = page.getByRole('region', { name: 'Selection' })
  await selection.getByText('2 selected').waitFor()
  await upload(page, [{ name: 'by somebody else.txt', content: 'text' }])
  await row(page, 'by somebody else.txt').waitFor()
  t.ok(await page.getByRole('checkbox', { name: 'Select Handbook.docx' }).isChecked(), 'when the list is refreshed, too')
  await selection.getByRole('button', { name: 'Move to bin' }).click()
  await page.getByRole('dialog', { name: 'Move 2 documents to the bin?' }).getByRole('button', { name: 'Move to bin' }).click()
  for (const name of names) await row(page, name).waitFor({ state: 'detached' })
  t.equal(await selection.count(), 0)
  await page.getByRole('button', { name: 'Undo' }).click()
  for (const name of names) await row(page, name).waitFor()
  t.equal(await page.getByRole('checkbox', { checked: true }).count(), 0)
  t.strictSame(problems, [])
})

t.test('demo: a heading sorts, again the other way round, and favorites come first', { skip: browser.missing }, async t => {
  const { page, problems } = await browser.newPage(t)
  await page.goto(demo.url)
  const table = page.getByRole('table', { name: 'All documents' })
  const heading = (name: string) => table.getByRole('columnheader', { name })
  const names = () => table.getByRole('rowheader').getByRole('link').allTextContents()
  const sort = async (name: string, direction: string) => {
    await heading(name).getByRole('button').press('Enter')
    await table.locator(`[aria-sort="${direction}"]`).getByText(name).waitFor()
    t.equal(await page.evaluate('document.activeElement.textContent'), name, 'the focus stays')
  }
  const byName = await names()
  t.equal(await heading('Name').getAttribute('aria-sort'), 'ascending')
  await sort('Name', 'descending')
  t.strictSame(await names(), byName.toReversed())
  await sort('Size', 'descending')
  t.equal(await heading('Name').getAttribute('aria-sort'), null, 'one column is sorted by')
  const bySize = await names()
  await sort('Size', 'ascending')
  t.strictSame(await names(), bySize.toReversed())
  t.not(bySize.toString(), byName.toString())

  await choose(page, bySize[0]!, 'Add to favorites')
  await row(page, bySize[0]!).getByRole('img', { name: 'Favorite' }).waitFor()
  const expected = [bySize[0], ...bySize.slice(1).toReversed()]
  t.strictSame(await names(), expected)
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await page.reload()
    t.strictSame(await names(), expected, 'the browser remembers it')
    await page.getByRole('button', { name: 'Large previews' }).click()
    await sort('Changed', 'descending')
    await sort('Size', 'descending')
    await sort('Size', 'ascending')
    t.strictSame(await names(), expected)
  }
  await choose(page, bySize[0]!, 'Remove from favorites')
  await row(page, bySize[0]!).getByRole('img', { name: 'Favorite' }).waitFor({ state: 'detached' })
  t.strictSame(problems, [])
})

t.test('demo: with the keyboard alone, a document is found, renamed and opened, a new one is created and closed, and the focus is never lost', { skip: browser.missing }, async t => {
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
  t.equal(await focused(), 'Move to bin…')
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
  await keyboard.press('ArrowRight')
  t.ok(await dialog.getByRole('radio', { name: 'Excel workbook', exact: true }).isChecked())
  await keyboard.press('ArrowLeft')
  await keyboard.press('Tab')
  await keyboard.type('Entwurf')
  await keyboard.press('Enter')
  await editorFrame(page)
  t.equal(await page.getByRole('heading', { level: 1 }).first().textContent(), 'Entwurf.docx')
  await page.frameLocator('iframe').getByRole('button', { name: 'Close' }).press('Enter')
  await page.waitForURL(`${demo.url}/?user=*`)
  await row(page, 'Entwurf.docx').waitFor()
  t.match((await demo.download('Entwurf.docx')).subarray(0, 2), Buffer.from('PK'))
  t.strictSame(problems, [])
})

t.test('demo: others see who is editing; earlier versions are listed and restored; a save without a document is recovered', { skip: browser.missing }, async t => {
  const { page: mira, problems } = await browser.newPage(t)
  const { page: jonas } = await browser.newPage(t)
  const id = await demo.idOf('Shopping list.md')
  const before = Buffer.from(await demo.download('Shopping list.md')).toString()
  await jonas.goto(`${demo.url}/edit/${id}?user=jonas`)
  let editor = await editorFrame(jonas)
  await mira.goto(`${demo.url}/?user=mira`)
  await row(mira, 'Shopping list.md').getByText('Jonas Feldt is editing').waitFor()
  await choose(mira, 'Shopping list.md', 'Move to bin…')
  await mira.getByRole('dialog').getByText('Jonas Feldt is editing, and the editor will be closed.').waitFor()
  await mira.keyboard.press('Escape')
  await choose(mira, 'Shopping list.md', 'Rename…')
  await mira.getByRole('dialog').getByLabel('Name').fill('Board')
  await mira.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await jonas.getByRole('heading', { level: 1, name: 'Board.md' }).waitFor()
  await row(mira, 'Board.md').waitFor()

  await chooseInEditor(editor, 'Favorite')
  await row(mira, 'Board.md').getByRole('img', { name: 'Favorite' }).waitFor()
  await chooseInEditor(editor, 'Mention')
  const comment = editor.getByRole('dialog')
  await comment.getByLabel('Comment').pressSequentially('Is this right, @Mi')
  await comment.getByRole('button', { name: 'Mira Sandoval' }).click()
  await comment.getByRole('button', { name: 'OK' }).click()
  await mira.getByText('Jonas Feldt mentioned you in Board.md').waitFor()
  t.match(await mira.locator('.quote').textContent(), 'Is this right, Mira Sandoval')
  t.match(
    await mira.locator('.message').getByRole('link', { name: 'Board.md' }).getAttribute('href'),
    /^\/edit\/[^/?]+\?action-link=/
  )
  await mira.getByRole('button', { name: 'Dismiss the message from Jonas Feldt' }).click()
  await mira.getByText('mentioned you').waitFor({ state: 'detached' })

  await textBox(editor).fill('changed by Jonas')
  await editor.waitForSelector('[data-state="received"]')
  await editor.getByRole('button', { name: 'Close' }).click()
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
    mira.waitForEvent('download'), mira.getByRole('link', { name: 'Download version 1' }).click()
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
  await editor.getByRole('button', { name: 'Close' }).click()
  await jonas.waitForURL(`${demo.url}/?user=jonas`)
  await Promise.all([mira.waitForURL(url => url.pathname === '/'), mira.getByRole('link', { name: 'Documents' }).click()])
  await openPreferences(mira)
  await Promise.all([
    mira.waitForURL('**/forgotten?*'), mira.getByRole('link', { name: 'Saves that did not arrive' }).click()
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
})

t.test('demo: other sites can change nothing, and a name that cannot be shown is refused', async t => {
  const id = await demo.idOf('Handbook.docx')
  const json = { 'content-type': 'application/json' }
  const before = await readFile(join(directory, 'documents.json'), 'utf8')
  const statusOf = async (method: string, path: string, body: string, headers: Record<string, string> = json) =>
    (await fetch(demo.url + path, { method, body, headers })).status
  for (const [method, path, body] of [
    ['POST', '/documents?name=a.md', 'text'],
    ['POST', '/documents/new', '{"format":"docx","name":"x"}'],
    ['PATCH', `/documents/${id}`, '{"name":"x"}'],
    ['POST', `/documents/${id}/copy`, '{}'],
    ['POST', `/documents/${id}/convert`, '{"format":"pdf","add":true}'],
    ['DELETE', `/documents/${id}`, '{}'],
    ['POST', `/documents/${id}/versions/1/restore`, '{}'],
    ['POST', '/forgotten/recover', '{}'],
    ['POST', '/failures', '{"kind":"disk"}'],
    ['DELETE', '/failures', '{}']
  ] as const) {
    for (const site of ['cross-site', 'same-site']) {
      t.equal(await statusOf(method, path, body, { ...json, 'sec-fetch-site': site }), 403, `${method} ${path} ${site}`)
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      t.equal(await statusOf(method, path, body, { 'content-type': type }), 415, `${method} ${path} ${type}`)
    }
  }
  // A site whose name leads to this machine now.
  const rebound = await send(demo.url, { headers: { host: `evil.example:${new URL(demo.url).port}` } })
  t.strictSame([rebound.status, rebound.body.includes('Handbook')], [421, false])
  for (const name of ['', ' ', '\u202e', 1, null, ['a'], 'x'.repeat(300)]) {
    t.equal(await statusOf('PATCH', `/documents/${id}`, JSON.stringify({ name })), 400, JSON.stringify(name))
  }
  for (const format of ['exe', '../x', '', 'constructor', 7]) {
    t.equal(await statusOf('POST', '/documents/new', JSON.stringify({ format, name: 'x' })), 415, String(format))
    t.equal(await statusOf('POST', `/documents/${id}/convert`, JSON.stringify({ format })), 415, String(format))
  }
  t.equal(await statusOf('POST', `/documents/${id}/purge`, '{}'), 404, 'only what was deleted before')
  t.equal(await readFile(join(directory, 'documents.json'), 'utf8'), before)
})
