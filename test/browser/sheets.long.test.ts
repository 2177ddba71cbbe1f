import t from 'tap'
import { partOf, richWorkbook, withParts } from '../fixtures/workbook.js'
import { close, editorFrame, type Opened, type Pages, startBrowser, startPages, statuses } from '../kit/browser.js'
import { calculatedSheets, missingOffice } from '../kit/programs.js'

const browser = await startBrowser(t)

function cell ({ editor }: Opened, name: string, text?: string | RegExp) {
  return editor.locator(`[data-cell="${name}"]`, text === undefined ? {} : { hasText: text })
}

/** Types into a cell and goes to the one below. */
async function enter (opened: Opened, name: string, value: string): Promise<void> {
  await cell(opened, name).click()
  await opened.page.keyboard.type(value)
  await opened.page.keyboard.press('Enter')
}

async function showSheet ({ editor }: Opened, name: string): Promise<void> {
  await editor.getByRole('tab', { name }).click()
}

/** The cell with the focus, which a screen reader announces. */
async function current ({ editor }: Opened): Promise<string | null> {
  return await editor.locator('[role="gridcell"]:focus').getAttribute('data-cell')
}

/** What a page has of it. */
interface Clipboard {
  readonly DataTransfer: new () => { setData: (type: string, text: string) => void, getData: (type: string) => string }
  readonly ClipboardEvent: new (type: string, init: object) => Event
}

async function paste ({ editor }: Opened, text: string): Promise<void> {
  await editor.locator('[role="gridcell"][tabindex="0"]').evaluate((cell, text) => {
    const { DataTransfer, ClipboardEvent } = globalThis as unknown as Clipboard
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', text)
    cell.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, text)
}

/** What a copy puts on the clipboard. */
async function copied ({ editor }: Opened): Promise<string> {
  return await editor.locator('[role="gridcell"][tabindex="0"]').evaluate(cell => {
    const { DataTransfer, ClipboardEvent } = globalThis as unknown as Clipboard
    const clipboardData = new DataTransfer()
    cell.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }))
    return clipboardData.getData('text/plain')
  })
}

/** Connects at once: after some time pages try it again only as often as the document server waits for them. */
async function retry (...all: Opened[]): Promise<void> {
  for (const { editor } of all) await editor.evaluate('dispatchEvent(new Event("online"))')
}

async function stored (service: Pages, fileId: string): Promise<Buffer> {
  const file = await service.storage.read(fileId)
  const chunks: Uint8Array[] = []
  for await (const chunk of file!.body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function start (t: Parameters<typeof startPages>[0]) {
  const service = await startPages(t, browser)
  const { fileId } = await service.storage.create('xlsx', richWorkbook())
  return {
    service,
    fileId,
    open: async (user?: string) => await service.open(fileId, user === undefined ? {} : { user })
  }
}

t.test(
  'two people edit a workbook and see each other\'s changes; the saved file has both changes and is otherwise unchanged',
  { skip: browser.missing },
  async t => {
    const { service, fileId, open } = await start(t)
    const [ada, grace] = [await open(), await open('Grace Hopper')]

    await enter(ada, 'C2', '1000')
    await cell(grace, 'C2', '1000').waitFor()
    await enter(grace, 'C3', '2000')
    await enter(grace, 'E2', '2027-01-05')
    await cell(ada, 'C3', '2000').waitFor()
    await showSheet(grace, 'Summary')
    await cell(grace, 'B2').and(grace.editor.locator('.stale')).waitFor()
    await enter(grace, 'B8', '=B2+1')
    // Ada's page has it before her save is stored: afterwards there would be something to save again.
    await grace.editor.waitForSelector('[data-state="received"]')
    await enter(ada, 'B2', 'Eünï <&>')
    await enter(ada, 'G2', '=C2+C3')
    await cell(ada, 'H2').click()
    await ada.page.keyboard.type('typed and not entered')
    await ada.page.keyboard.press('Control+s')
    await showSheet(grace, 'orders')
    await ada.editor.waitForSelector('[data-state="stored"]')
    t.match(partOf(await stored(service, fileId), 'xl/worksheets/sheet1.xml'), 'typed and not entered')
    await cell(ada, 'H2').click()
    await ada.page.keyboard.type('typed and left')
    await ada.page.keyboard.press('Enter')
    await ada.editor.waitForSelector('[data-state="received"]')
    await close(ada, async () => await ada.page.goto('about:blank'))
    await cell(grace, 'H2', 'typed and left').waitFor()
    await close(grace)
    t.equal(statuses(service).at(-1), 2)
    t.strictSame([...ada.problems, ...grace.problems], [])

    const [before, after] = [richWorkbook(), await stored(service, fileId)]
    for (const part of ['xl/styles.xml', 'xl/sharedStrings.xml', 'xl/unknown/part.bin', 'docProps/app.xml']) {
      t.equal(
        partOf(after, part),
        partOf(before, part),
        part
      )
    }
    const summary = partOf(after, 'xl/worksheets/sheet2.xml')
    for (
      const kept of [
        '<f>SUM(orders!C2:C501)</f>',
        '<f t="shared" ref="B3:B5" si="0">B2*2</f>',
        '<mergeCell ref="A1:C1"/>',
        '<conditionalFormatting',
        '<v>0.25</v>'
      ]
    ) t.ok(summary.includes(kept), kept)
    t.match(partOf(after, 'xl/workbook.xml'), '<definedName name="Rate">')

    const skip = await missingOffice()
    await t.test('LibreOffice opens the saved workbook and calculates with the new values', { skip }, async t => {
      const sheets = await calculatedSheets(after)
      const orders = sheets.get('orders')!
      t.equal(orders[1], '1,Eünï <&>,1000,25.71,2027-01-05,,3000,typed and left')
      const units = orders.slice(1).reduce((sum, line) => sum + Number(line.split(',')[2]), 0)
      const [, second, third, , , , , eighth] = sheets.get('Summary')!
      t.match(second, `Units,${units},25%`)
      t.match(third, `Doubled & more,${2 * units},007`)
      t.match(eighth, `,${units + 1},`)
    })
  }
)

t.test(
  'a sheet is edited by keyboard: moving, typing, correcting, clearing and undoing',
  { skip: browser.missing },
  async t => {
    const { open } = await start(t)
    const ada = await open()
    const { keyboard } = ada.page
    await cell(ada, 'B2').click()
    for (
      const [key, name] of [
        ['ArrowDown', 'B3'],
        ['ArrowRight', 'C3'],
        ['Tab', 'D3'],
        ['Shift+Tab', 'C3'],
        ['Enter', 'C4'],
        ['Shift+Enter', 'C3'],
        ['ArrowUp', 'C2'],
        ['ArrowLeft', 'B2'],
        ['Home', 'A2'],
        ['Control+Home', 'A1'],
        ['ArrowUp', 'A1']
      ] as const
    ) {
      await keyboard.press(key)
      t.equal(await current(ada), name, key)
    }
    await cell(ada, 'B2').click()
    await keyboard.type('West')
    await keyboard.press('Tab')
    t.equal(await cell(ada, 'B2').textContent(), 'West')
    t.equal(await current(ada), 'C2', 'Tab goes on')
    await keyboard.press('F2')
    t.equal(await ada.editor.locator('.grid-input').inputValue(), '486', 'F2 corrects what is there')
    await keyboard.type('7')
    await keyboard.press('Enter')
    t.equal(await cell(ada, 'C2').textContent(), '4867')
    await keyboard.type('gone')
    await keyboard.press('Escape')
    t.equal(await cell(ada, 'C3').textContent(), '38', 'Escape leaves it as it was')
    await keyboard.press('Delete')
    t.equal(await cell(ada, 'C3').textContent(), '')
    for (
      const [key, name, text] of [['Control+z', 'C3', '38'], ['Control+z', 'C2', '486'], ['Control+y', 'C2', '4867'], [
        'Control+z',
        'C2',
        '486'
      ], ['Control+z', 'B2', 'East']] as const
    ) {
      await keyboard.press(key)
      t.equal(await cell(ada, name).textContent(), text, `${key} in ${name}`)
      t.equal(await current(ada), name, 'it goes there')
    }
    await cell(ada, 'A5').click()
    await paste(ada, '50\tWest\n60\tEast\n')
    t.strictSame(await Promise.all(['A5', 'B5', 'A6', 'B6'].map(async name => await cell(ada, name).textContent())), [
      '50',
      'West',
      '60',
      'East'
    ], 'a pasted block')
    await keyboard.press('Control+z')
    t.equal(await cell(ada, 'B6').textContent(), 'North', 'is undone at once')
    await cell(ada, 'B2').click()
    await ada.editor.getByRole('textbox', { name: 'Content of the cell' }).fill('North')
    await keyboard.press('Enter')
    await cell(ada, 'B2', 'North').waitFor()
    await showSheet(ada, 'Summary')
    await cell(ada, 'A1').click()
    await keyboard.press('ArrowRight')
    t.equal(await current(ada), 'E1', 'merged cells are one, hidden ones are left out')
    await keyboard.press('Control+End')
    t.ok(await cell(ada, 'AC60').isVisible() || await cell(ada, 'Z60').isVisible(), 'the end of the sheet is shown')
    t.strictSame(ada.problems, [])
  }
)

t.test('Ctrl+Z undoes the user\'s own last change after others have edited, and keeps what they set', {
  skip: browser.missing
}, async t => {
  const { open } = await start(t)
  const [ada, grace] = [await open(), await open('Grace Hopper')]
  await enter(ada, 'B2', 'mine')
  await enter(ada, 'B3', 'first mine')
  await cell(grace, 'B3', 'first mine').waitFor()
  await enter(grace, 'B3', 'theirs')
  await enter(grace, 'C9', '9')
  await cell(ada, 'C9', '9').waitFor()
  await ada.page.keyboard.press('Control+z')
  await cell(grace, 'B2', 'East').waitFor()
  t.equal(await cell(ada, 'B3').textContent(), 'theirs')
  t.equal(await cell(ada, 'C9').textContent(), '9')
})

t.test(
  'the formula bar keeps line breaks, and applies its text to the cell it was typed for, even after a lost connection',
  { skip: browser.missing },
  async t => {
    const { service, open } = await start(t)
    const [ada, grace] = [await open(), await open('Grace Hopper')]
    const bar = ada.editor.getByRole('textbox', { name: 'Content of the cell' })
    const { keyboard } = ada.page
    await cell(ada, 'J2').click()
    await keyboard.type('one')
    await keyboard.press('Alt+Enter')
    await keyboard.type('two')
    await keyboard.press('Enter')
    await cell(ada, 'J2').click()
    await bar.press('End')
    await keyboard.press('Enter')
    await cell(ada, 'J2').click()
    t.equal(await bar.inputValue(), 'one\ntwo')
    await cell(ada, 'J3').click()
    await bar.focus()
    await keyboard.type('for J3')
    await cell(ada, 'A2').click()
    await cell(grace, 'J3', 'for J3').waitFor()
    t.equal(await cell(ada, 'A2').textContent(), '1')
    await cell(ada, 'J4').click()
    await bar.focus()
    await keyboard.type('half a w')
    await service.documentServer.crash()
    await ada.editor.locator('[data-cut]').waitFor()
    await service.documentServer.restart({ sessions: 'kept' })
    await retry(ada, grace)
    await ada.editor.locator('[data-cut]').waitFor({ state: 'hidden' })
    await keyboard.type('ord')
    await keyboard.press('Enter')
    await cell(grace, 'J4', 'half a word').waitFor()
    await cell(ada, 'B3').dblclick()
    await enter(grace, 'B3', 'theirs')
    await cell(ada, 'B3', 'theirs').waitFor()
    await keyboard.press('Enter')
    t.equal(await cell(ada, 'B3').textContent(), 'theirs', 'without typing nothing changes')
  }
)

t.test('a pasted cell may contain line breaks; the page reports pasted cells that do not fit into the sheet', {
  skip: browser.missing
}, async t => {
  const { open } = await start(t)
  const ada = await open()
  await cell(ada, 'I2').click()
  await paste(ada, '"a\nb ""c"""\t"as it is"\r\nd\t\r\n')
  t.strictSame(
    await Promise.all(['I2', 'J2', 'I3', 'J3', 'I4'].map(async name => await cell(ada, name).textContent())),
    ['a\nb "c"', '"as it is"', 'd', '', '']
  )
  await ada.editor.locator('[data-toast]').waitFor({ state: 'hidden' })
  await paste(ada, 'x\n'.repeat(3000))
  await ada.editor.locator('[data-toast]', { hasText: /of 3000 values .* left out/ }).waitFor()
})

t.test('ranges of cells are selected, copied and cleared; typing goes on while the window changes', {
  skip: browser.missing
}, async t => {
  const { open } = await start(t)
  const ada = await open()
  const { keyboard, mouse } = ada.page
  const selected = ada.editor.locator('[role="gridcell"][aria-selected="true"]')
  await cell(ada, 'B2').hover()
  await mouse.down()
  await cell(ada, 'C4').hover()
  await mouse.up()
  t.equal(await selected.count(), 6, 'by dragging')
  t.equal(await current(ada), 'B2')
  await cell(ada, 'B2').click()
  await keyboard.press('Shift+ArrowRight')
  await keyboard.press('Shift+ArrowDown')
  t.equal(await selected.count(), 4, 'by keyboard')
  t.equal(await copied(ada), 'East\t486\nNorth\t38')
  await keyboard.press('Delete')
  const texts = async () => await selected.allTextContents()
  t.strictSame(await texts(), ['', '', '', ''])
  await keyboard.press('Control+z')
  t.equal(await cell(ada, 'C3').textContent(), '38', 'and is undone at once')
  await keyboard.press('Control+End')
  await keyboard.press('Control+Home')
  t.equal(await current(ada), 'A1')
  await keyboard.type('half a w')
  await ada.page.setViewportSize({ width: 700, height: 400 })
  await ada.page.waitForTimeout(300)
  await keyboard.type('ord')
  await keyboard.press('Enter')
  t.equal(await cell(ada, 'A1').textContent(), 'half a word')
  t.strictSame(ada.problems, [])
})

t.test('the keyboard leaves a sheet at its edges and the formula bar backwards', { skip: browser.missing }, async t => {
  const { open } = await start(t)
  const ada = await open()
  const { keyboard } = ada.page
  const focused = async (name: string) => await ada.editor.locator(':focus').and(ada.editor.getByLabel(name)).count() === 1
  await cell(ada, 'A2').click()
  await keyboard.press('Shift+Tab')
  t.ok(await focused('Content of the cell'))
  await keyboard.press('Shift+Tab')
  t.notOk(await focused('Content of the cell'))
  await cell(ada, 'A2').click()
  await keyboard.press('End')
  await keyboard.press('Tab')
  t.equal(await ada.editor.locator('[role="tab"]:focus').count(), 1)
  t.strictSame(ada.problems, [])
})

t.test('cells merged over rows and columns are one beside hidden ones, and keep the focus while the sheet scrolls', {
  skip: browser.missing
}, async t => {
  const service = await startPages(t, browser)
  const workbook = withParts(richWorkbook(), {
    'xl/worksheets/sheet2.xml': xml => xml.replace('<mergeCell ref="A1:C1"/>', '<mergeCell ref="B8:C10"/><mergeCell ref="E3:G300"/>')
  })
  const ada = await service.open((await service.storage.create('xlsx', workbook)).fileId)
  const { keyboard, mouse } = ada.page
  await showSheet(ada, 'Summary')
  await enter(ada, 'B8', 'one')
  t.equal(await current(ada), 'B11')
  for (const [key, name] of [['ArrowUp', 'B8'], ['ArrowRight', 'E3'], ['ArrowRight', 'H8'], ['ArrowLeft', 'E3']] as const) {
    await keyboard.press(key)
    t.equal(await current(ada), name, key)
  }
  await cell(ada, 'A8').hover()
  await mouse.wheel(0, 700)
  await cell(ada, 'A1').waitFor({ state: 'detached' })
  t.equal(await current(ada), 'E3')
  await keyboard.type('tall')
  await keyboard.press('Enter')
  t.equal(await cell(ada, 'E3').textContent(), 'tall')
  t.strictSame(ada.problems, [])
})

t.test('on a phone, a tap selects a cell and a swipe scrolls', { skip: browser.missing }, async t => {
  const { service, fileId } = await start(t)
  const { page } = await browser.newPage(t, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 700 } })
  await page.goto(`${service.origin}/edit/${fileId}`)
  const editor = await editorFrame(page)
  await editor.locator('[data-cell="B4"]').tap()
  await editor.locator('[data-cell="B4"]:focus').waitFor()
  const session = await page.context().newCDPSession(page)
  const touch = async (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: Array<{ x: number, y: number }>) =>
    await session.send('Input.dispatchTouchEvent', { type, touchPoints })
  await touch('touchStart', { x: 200, y: 600 })
  for (let y = 580; y >= 200; y -= 20) await touch('touchMove', { x: 200, y })
  await touch('touchEnd')
  await editor.locator('[data-cell="B1"]').waitFor({ state: 'detached' })
})

t.test('a page shows which cell each other editor has selected', { skip: browser.missing }, async t => {
  const { open } = await start(t)
  const [ada, grace] = [await open(), await open('Grace Hopper')]
  await cell(grace, 'D9').click()
  const mark = ada.editor.locator('[data-who="Grace Hopper"]')
  await mark.and(cell(ada, 'D9')).waitFor()
  t.equal(await mark.count(), 1)
  await showSheet(grace, 'Summary')
  await mark.waitFor({ state: 'detached' })
  await ada.editor.getByRole('tab', { name: 'Summary' }).and(ada.editor.getByTitle('Grace Hopper')).waitFor()
})

t.test('cells set while the connection is lost are sent later, and the page keeps its scroll position', {
  skip: browser.missing
}, async t => {
  const { service, open } = await start(t)
  const [ada, grace] = [await open(), await open('Grace Hopper')]
  await cell(grace, 'A1').click()
  await showSheet(ada, 'Summary')
  await service.documentServer.crash()
  for (const { editor } of [ada, grace]) await editor.locator('[data-cut]').waitFor()
  await enter(ada, 'A8', 'alone')
  await enter(ada, 'A9', 'Ada')
  await showSheet(grace, 'Summary')
  await enter(grace, 'B9', 'Grace')
  await cell(ada, 'C9').click()
  await ada.page.keyboard.type('half a w')
  await service.documentServer.restart({ sessions: 'kept' })
  await retry(ada, grace)
  for (const opened of [ada, grace]) {
    for (const [name, text] of [['A8', 'alone'], ['A9', 'Ada'], ['B9', 'Grace']] as const) {
      await cell(opened, name, text).waitFor()
    }
  }
  await ada.editor.locator('[data-cut]').waitFor({ state: 'hidden' })
  await ada.page.keyboard.type('ord')
  await ada.page.keyboard.press('Enter')
  await cell(grace, 'C9', 'half a word').waitFor()
  t.strictSame([...ada.problems, ...grace.problems].filter(problem => !/WebSocket/.test(problem)), [])
})

t.test('a viewer sees the sheets and cannot change anything', { skip: browser.missing }, async t => {
  const { service, fileId, open } = await start(t)
  const viewer = await service.open(fileId, { mode: 'view' })
  const ada = await open('Grace Hopper')
  await enter(viewer, 'B2', 'x')
  await viewer.page.keyboard.press('Delete')
  t.equal(await cell(viewer, 'B2').textContent(), 'East')
  t.equal(await viewer.editor.locator('[role="grid"]').getAttribute('aria-readonly'), 'true')
  await enter(ada, 'B2', 'seen')
  await cell(viewer, 'B2', 'seen').waitFor()
})

t.test(
  'a CSV file is edited as a sheet and keeps its separator, quoting and line ends',
  { skip: browser.missing },
  async t => {
    const service = await startPages(t, browser)
    const { fileId } = await service.storage.create('csv', Buffer.from('\uFEFFname;note\r\n"Ada";"a; b"\r\nGrace;\r\n'))
    const [ada, grace] = [await service.open(fileId), await service.open(fileId, { user: 'Grace Hopper' })]
    t.equal(await cell(ada, 'B2').textContent(), 'a; b')
    await enter(ada, 'B3', 'new')
    await enter(grace, 'A2', 'Ada L.')
    await cell(ada, 'A2', 'Ada L.').waitFor()
    await cell(grace, 'B3', 'new').waitFor()
    await close(ada)
    await close(grace)
    t.equal((await stored(service, fileId)).toString(), '\uFEFFname;note\r\n"Ada L.";"a; b"\r\nGrace;new\r\n')
  }
)
