import t from 'tap'
import { append, caretTo, close, type Opened, paragraph, shownText, startBrowser, startPages, textBox, WAIT_FOR_RECONNECT_MS } from '../kit/browser.js'
import { holdTimers } from '../kit/time.js'

const browser = await startBrowser(t)
const RICH = 'This document has'

/** What is shown of the paragraph with formatting, without where it leads to, and without the carets of others. */
async function rich (opened: Opened): Promise<string> {
  return bare(await paragraph(opened, RICH).innerHTML()).replace(/^.*This document/, 'This document')
}

function bare (html: string): string {
  return html.replace(/<span class="caret[^>]*>.*?<\/span>|<img class="ProseMirror-separator"[^>]*>|<\/?span[^>]*>/g, '').replace(/<a [^>]*>/g, '<a>')
}

t.test(
  'a .docx shows bold, italic and links; Ctrl+B formats the selection for everyone who has it open; everything else is unchanged',
  { skip: browser.missing },
  async t => {
    const service = await startPages(t, browser)
    const fileId = await service.store('report.docx')
    const ada = await service.open(fileId)
    const grace = await service.open(fileId, { user: 'Grace Hopper' })
    t.equal(await rich(ada), 'This document has <b>bold</b>, <i>italic</i> and a <a><u>link</u></a>.')
    t.equal(await paragraph(ada, RICH).locator('a').getAttribute('href'), 'https://example.org/')

    await caretTo('Home', paragraph(ada, 'Currency is EUR.'))
    for (let count = 0; count < 'Currency'.length; count++) await ada.page.keyboard.press('Shift+ArrowRight')
    await ada.page.keyboard.press('ControlOrMeta+b')
    await grace.editor.locator('b', { hasText: 'Currency' }).waitFor()
    await ada.page.keyboard.press('End')
    await ada.page.keyboard.insertText(' And so on.')
    await grace.editor.getByText('Currency is EUR. And so on.', { exact: true }).waitFor()
    t.equal(bare(await paragraph(grace, 'And so on.').innerHTML()), '<b>Currency</b> is EUR. And so on.')
    await ada.page.keyboard.press('ControlOrMeta+z')
    await ada.page.keyboard.press('ControlOrMeta+z')
    await grace.editor.locator('b', { hasText: 'Currency' }).waitFor({ state: 'detached' })

    const target = paragraph(ada, RICH)
    await target.locator('b').click()
    await ada.page.keyboard.type('er')
    await ada.page.keyboard.press('Enter')
    await ada.page.keyboard.press('Backspace')
    await grace.editor.locator('b', { hasText: /er/ }).waitFor()
    await ada.editor.waitForSelector('[data-state="received"]')
    const text = await rich(ada)
    t.match(text, /^This document has <b>b?o?l?d?er.*<\/b>, <i>italic<\/i> and a <a><u>link<\/u><\/a>\.$/)
    while (await rich(grace) !== text) await grace.page.waitForTimeout(20)

    await ada.page.context().route('https://example.org/', async route => await route.fulfill({ body: '' }))
    const [opening] = await Promise.all([
      ada.page.waitForEvent('popup'),
      target.locator('a').click({ modifiers: ['ControlOrMeta'] })
    ])
    await opening.waitForURL('https://example.org/')
    t.equal(await opening.evaluate('opener'), null)
    t.strictSame([...ada.problems, ...grace.problems], [])
  }
)

t.test(
  'Ctrl+Z undoes the user\'s own last change after others have typed, also after a lost connection; Ctrl+Y redoes it',
  { skip: browser.missing },
  async t => {
    const service = await startPages(t, browser)
    const timers = holdTimers(t, WAIT_FOR_RECONNECT_MS)
    for (const name of ['report.docx', 'notes.txt']) {
      timers.hold()
      const fileId = await service.store(name)
      const ada = await service.open(fileId)
      const grace = await service.open(fileId, { user: 'Grace Hopper' })
      const isText = name.endsWith('txt')
      const text = async (opened = ada) =>
        isText ? (await shownText(opened.editor)).trimEnd() : await paragraph(opened, 'EUR').textContent()
      const shows = async (wanted: string) => {
        for (const opened of [ada, grace]) {
          while (await text(opened) !== wanted) await opened.page.waitForTimeout(20)
        }
      }
      const goTo = async (key: 'Home' | 'End', opened: Opened) => {
        if (isText) await textBox(opened.editor).press(`ControlOrMeta+${key}`)
        else await caretTo(key, paragraph(opened, 'EUR'))
      }
      const before = await text()
      await goTo('End', ada)
      await ada.page.keyboard.insertText('Ada')
      await shows(`${before}${isText ? '\n' : ''}Ada`)
      await goTo('Home', grace)
      await grace.page.keyboard.insertText('Grace: ')
      await shows(`Grace: ${before}${isText ? '\n' : ''}Ada`)
      for (const client of service.documentServer.websocketServer.clients) client.terminate()
      await ada.page.keyboard.press('ControlOrMeta+z')
      await shows(`Grace: ${before}`)
      t.ok(await ada.editor.locator('[data-action="undo"]').isDisabled(), 'nothing else of hers is left')
      await ada.editor.click('[data-action="redo"]')
      await shows(`Grace: ${before}${isText ? '\n' : ''}Ada`)
      await grace.page.keyboard.press('ControlOrMeta+z')
      await ada.page.keyboard.press('ControlOrMeta+z')
      await ada.page.keyboard.press('ControlOrMeta+y')
      await ada.page.keyboard.press('ControlOrMeta+Shift+z')
      await ada.page.keyboard.press('ControlOrMeta+z')
      await shows(before!)
      t.pass(name)
      timers.pass()
      await close(ada)
      await close(grace)
    }
  }
)

t.test(
  'the Save button is enabled while there are unsaved changes, no matter who made them',
  { skip: browser.missing },
  async t => {
    const service = await startPages(t, browser)
    const fileId = await service.store('report.docx')
    const ada = await service.open(fileId)
    const grace = await service.open(fileId, { user: 'Grace Hopper' })
    const canSave = async (enabled: boolean, ...pages: Opened[]) => {
      for (const { editor } of pages) {
        await editor.locator(`[data-action="save"]:${enabled ? 'enabled' : 'disabled'}`)
          .waitFor()
      }
    }
    await canSave(false, ada, grace)
    await append(ada, 'Currency is EUR.', ' x')
    await canSave(true, ada, grace)
    await canSave(true, await service.open(fileId, { user: 'Late Comer' }))
    await ada.editor.waitForSelector('[data-state="received"]')
    await grace.editor.click('[data-action="save"]')
    await canSave(false, ada, grace)
    await append(grace, 'Currency is EUR. x', 'y')
    await canSave(true, ada, grace)
    t.pass('on and off for both')
  }
)
