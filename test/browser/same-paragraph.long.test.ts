import t from 'tap'
import { append, caretTo, paragraph, shownText, startBrowser, startPages, textBox } from '../kit/browser.js'

/** So that what one types arrives while the other is typing. */
const SLOWLY = { delay: 30 }
const browser = await startBrowser(t)

t.test(
  'two people who type into the same paragraph, or the same text, at the same time keep everything they typed and their carets',
  { skip: browser.missing },
  async t => {
    const service = await startPages(t, browser)
    const docx = await service.store('report.docx')
    const ada = await service.open(docx)
    const grace = await service.open(docx, { user: 'Grace Hopper' })
    const target = (opened: typeof ada) => opened.editor.locator('[data-paragraph]', { hasText: 'Currency' })
    await caretTo('Home', target(grace))
    await Promise.all([
      append(ada, 'Currency', ' written at the end, bit by bit', SLOWLY),
      grace.page.keyboard.type('Written at the start, too: ', SLOWLY)
    ])
    const both = 'Written at the start, too: Currency is EUR. written at the end, bit by bit'
    for (const opened of [ada, grace]) await opened.editor.getByText(both, { exact: true }).waitFor()

    const txt = await service.store('notes.txt')
    const [left, right] = [await service.open(txt), await service.open(txt, { user: 'Grace Hopper' })]
    const before = await shownText(left.editor)
    await textBox(left.editor).press('ControlOrMeta+Home')
    await textBox(right.editor).press('ControlOrMeta+End')
    await Promise.all([left.page.keyboard.type('a first line of text\n', SLOWLY), right.page.keyboard.type('a last line of text\n', SLOWLY)])
    for (const { editor } of [left, right]) await editor.waitForFunction(hasText, `a first line of text\n${before}a last line of text\n`)
    t.pass('both texts have arrived everywhere')
  })

t.test(
  'text that is being composed with an input method stays intact while somebody else types into the same paragraph',
  { skip: browser.missing },
  async t => {
    const service = await startPages(t, browser)
    const fileId = await service.store('report.docx')
    const ada = await service.open(fileId)
    const grace = await service.open(fileId, { user: 'Grace Hopper' })
    const keyboard = await ada.page.context().newCDPSession(ada.page)
    const compose = async (text: string) =>
      await keyboard.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
    await append(ada, 'Currency', ' ')
    await grace.editor.getByText('Currency is EUR. ').waitFor()
    await compose('に')
    await compose('にほ')
    await caretTo('Home', paragraph(grace, 'Currency'))
    await grace.page.keyboard.type('Hers: ')
    await grace.editor.waitForSelector('[data-state="received"]')
    await compose('にほん')
    await keyboard.send('Input.insertText', { text: '日本' })
    for (const { editor } of [ada, grace]) {
      await editor.getByText('Hers: Currency is EUR. 日本', { exact: true }).waitFor()
    }
    t.pass('both have it')
  }
)

/** Runs in the browser. */
function hasText (text: string): boolean {
  interface Page { querySelectorAll (selector: string): ArrayLike<{ readonly textContent: string }> }
  const { document } = globalThis as unknown as { document: Page }
  return Array.from(document.querySelectorAll('[data-paragraph]'), ({ textContent }) => textContent).join('\n') === text
}
