import type { Node } from 'prosemirror-model'
import type { Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { caretTo, startBrowser } from '../../../test/kit/browser.js'
import { schema } from '../../lib/text/schema.js'
import { createDocumentServer } from '../../lib/index.js'
import { SECRET } from '../support.js'
import { type Authority, type Message, startAuthority } from './pages.js'

const browser = await startBrowser(t)
const p = (text: string, attrs = {}) => ({ type: 'paragraph', attrs, content: [{ type: 'text', text }] })

async function start (t: Test, content: object[], changes = {}) {
  const server = await createDocumentServer({ jwtSecret: SECRET, libreOffice: false })
  t.teardown(() => server.close())
  const authority = startAuthority(schema.nodeFromJSON({ type: 'doc', content }))

  /** The editor page with a connection that ends here. */
  async function open (name: string, events: readonly string[] = [], colorScheme: 'light' | 'dark' = 'light') {
    const { page, problems } = await browser.newPage(t, { permissions: ['clipboard-read', 'clipboard-write'], colorScheme })
    await connect(page, authority, name, changes)
    await page.goto(`${server.url}/web-apps/apps/documenteditor/main/index.html?parentOrigin=${server.url}`)
    await page.evaluate(`postMessage({ type: 'page', command: 'open', config: {}, events: ${JSON.stringify(events)} }, location.origin)`)
    await page.locator('[data-content][aria-busy="false"]').waitFor({ state: 'attached' })
    return {
      page,
      problems,
      keyboard: page.keyboard,
      paragraph: (text: string) => page.locator('[data-paragraph]', { hasText: text }),
      button: (name: string) => page.getByRole('group', { name: 'Formats' }).getByRole('button', { name }),
      /** The name of the control that has the focus. */
      focused: async () => await page.locator(':focus').evaluate(element => element.ariaLabel ?? element.textContent),
      /** Waits until everything has arrived. */
      sent: async () => await page.waitForSelector('[data-state="received"]')
    }
  }
  return { authority, open }
}

async function connect (page: Page, authority: Authority, name: string, changes: object): Promise<void> {
  await page.routeWebSocket(/\/doc\/socket$/, socket => {
    const send = (message: object) => { socket.send(JSON.stringify(message)) }
    authority.listeners.push((message: Message) => {
      if ('steps' in message) send({ type: 'operation', operation: message.steps, by: message.steps.client })
    })
    socket.onMessage(data => {
      const { type, batch, operations } = JSON.parse(String(data)) as { type: string, batch: number, operations: [] }
      if (type === 'open') {
        const users = [{ id: name, userId: name, name, viewOnly: false, self: true, place: null }]
        const content = { ...authority.content(), ...changes }
        send({ type: 'opened', title: name, fileType: 'docx', viewOnly: false, mayWrite: true, connectionId: name, batch: 0, users, content })
      } else if (type === 'edit') {
        operations.forEach(authority.receive)
        send({ type: 'received', batch })
      }
    })
  })
}

const styleOf = async (locator: Locator, name: string): Promise<string> =>
  await locator.evaluate((element, name) => getComputedStyle(element)[name]!, name)

declare function getComputedStyle (element: unknown): Record<string, string>

function shown (doc: Node): unknown[] {
  return doc.children.map(({ textContent, attrs: { level } }) => [textContent, level])
}

t.test('the buttons set formats, and headings in their colour, and tell which the text at the caret has', { skip: browser.missing }, async t => {
  const { authority, open } = await start(t, [p('One'), p('two')])
  const [ada, grace] = [await open('Ada'), await open('Grace')]
  const { keyboard } = ada
  await caretTo('End', ada.paragraph('One'))
  await keyboard.press('Enter')
  await ada.button('Bold').click()
  t.equal(await ada.button('Bold').getAttribute('aria-pressed'), 'true')
  await keyboard.type('fat')
  await keyboard.press('Control+b')
  await keyboard.type(' thin')
  await grace.page.locator('b', { hasText: /^fat$/ }).waitFor()
  t.strictSame(await ada.page.getByLabel('Paragraph style').locator('option').allTextContents(), ['Text', 'Heading 1', 'Heading 2'])
  await ada.page.getByLabel('Paragraph style').selectOption('Heading 2')
  t.equal(await styleOf(grace.page.getByRole('heading', { name: 'fat thin', level: 2 }), 'color'), 'rgb(31, 42, 68)')
  await keyboard.press('Enter')
  t.equal(await ada.page.getByLabel('Paragraph style').inputValue(), 'text', 'a paragraph follows')
  await keyboard.type('deeper')
  t.equal(await styleOf(grace.paragraph('deeper'), 'color'), 'rgb(0, 0, 0)')
  await ada.sent()
  t.strictSame(shown(authority.doc()), [['One', null], ['fat thin', 2], ['deeper', null], ['two', null]])
  await keyboard.press('Control+z')
  await grace.paragraph('deeper').waitFor({ state: 'detached' })
  t.strictSame([...ada.problems, ...grace.problems], [])
})

t.test('the paper is white in a dark theme, too; on a dark ground, text without a colour of its own is white', { skip: browser.missing }, async t => {
  const cell = (text: string, fill: string) => ({ type: 'table_cell', attrs: { fill }, content: [p(text)] })
  const row = { type: 'table_row', content: [cell('light', '#404040'), cell('dark', '#3e3e3e')] }
  const { open } = await start(t, [p('text'), p('blue', { color: '#0000ff' }), { type: 'table', content: [row] }])
  const { page, paragraph, problems } = await open('Ada', [], 'dark')
  t.equal(await styleOf(page.locator('.paper'), 'backgroundColor'), 'rgb(255, 255, 255)')
  const [black, white] = ['rgb(0, 0, 0)', 'rgb(255, 255, 255)']
  for (const [text, color] of [['text', black], ['blue', 'rgb(0, 0, 255)'], ['light', black], ['dark', white]] as const) {
    t.equal(await styleOf(paragraph(text), 'color'), color, text)
  }
  t.equal(await styleOf(page.locator('td', { hasText: 'light' }), 'backgroundColor'), 'rgb(64, 64, 64)')
  t.strictSame(problems, [])
})

t.test('a plain text has no formats: no buttons, no keys, and pasted text without them', { skip: browser.missing }, async t => {
  const { authority, open } = await start(t, [p('line')], { plain: true })
  const { keyboard, page, paragraph, sent } = await open('Ada')
  t.equal(await page.getByRole('group', { name: 'Formats' }).count(), 0)
  await caretTo('Home', paragraph('line'))
  await keyboard.press('Shift+End')
  await keyboard.press('Control+b')
  await keyboard.press('End')
  await keyboard.press('Shift+Enter')
  await keyboard.type('next')
  await sent()
  t.equal(String(authority.doc()), 'doc(paragraph("line"), paragraph("next"))')
})

t.test('by keyboard: the text has the focus at first, Escape leads to the tools and back, arrow keys through the tools and menus', { skip: browser.missing }, async t => {
  const { open } = await start(t, [p('One')])
  const { focused, keyboard, page, paragraph, problems } = await open('Ada', ['onRequestRename', 'onRequestCreateNew', 'onRequestUsers'])
  await keyboard.type('x')
  await paragraph('xOne').waitFor()
  const passed: unknown[] = []
  for (const key of ['Escape', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'Escape', 'ArrowUp', 'ArrowRight', 'Enter', 'Escape', 'ArrowRight', 'ArrowRight', 'Home']) {
    await keyboard.press(key)
    passed.push(await focused())
  }
  t.strictSame(passed, [
    'File', 'Rename…', 'Create new', 'Rename…', 'Create new', 'File', 'Create new', 'Insert', 'Mention', 'Insert',
    'Paragraph style', 'Bold', 'File'
  ])
  t.equal(await page.locator('[role="menu"]:visible').count(), 0)
  t.equal(await page.locator('[data-tools] [tabindex="0"]').count(), 1, 'one stop for the Tab key')
  await keyboard.press('Escape')
  await keyboard.type('y')
  await paragraph('xyOne').waitFor()
  t.strictSame(problems, [])
})
