import type { Node } from 'prosemirror-model'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { caretTo, startBrowser, textBox } from '../../../test/kit/browser.js'
import { schema } from '../../lib/text/schema.js'
import { createDocumentServer } from '../../lib/index.js'
import { SECRET } from '../support.js'
import { type Authority, type Message, startAuthority } from './pages.js'

const browser = await startBrowser(t)
const SQUARE = 'data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw=='

const p = (text: string, attrs = {}) => ({ type: 'paragraph', attrs, content: [{ type: 'text', text }] })
const cell = (text: string) => ({ type: 'table_cell', attrs: { ref: `cell ${text}` }, content: [p(text)] })

/** Everything that a text can consist of. */
const EVERYTHING = [
  p('The title', { ref: 'p0', level: 0 }),
  p('Chapter', { ref: 'p1', level: 2 }),
  p('Ordinary', { ref: 'p2', align: 'justify' }),
  {
    type: 'paragraph',
    content: [
      { type: 'text', text: 'bold', marks: [{ type: 'bold' }, { type: 'italic' }] },
      { type: 'hard_break' },
      { type: 'text', text: 'struck', marks: [{ type: 'underline' }, { type: 'strike' }] },
      { type: 'text', text: 'green', marks: [{ type: 'look', attrs: { ref: 'r1', css: 'color: #282' } }] },
      { type: 'text', text: 'link', marks: [{ type: 'link', attrs: { href: 'https://example.org/', ref: 'l1' } }] },
      { type: 'image', attrs: { ref: 'i1', src: SQUARE, alt: 'A square', width: 10, height: 20 } },
      { type: 'image', attrs: { ref: 'i2', alt: 'A metafile' } },
      { type: 'kept', attrs: { ref: 'k1', text: 'Page 3' } }
    ]
  },
  p('item', { list: 'bullet' }),
  p('first', { list: 'number', depth: 1 }),
  { type: 'table', attrs: { ref: 't1' }, content: [{ type: 'table_row', attrs: { ref: 'row' }, content: [cell('a'), cell('b')] }] },
  { type: 'kept_block', attrs: { ref: 'k2', text: 'Contents' } },
  p('Last', { ref: 'p9' })
]

async function start (t: Test, content: object[], changes = {}) {
  const server = await createDocumentServer({ jwtSecret: SECRET, libreOffice: false })
  t.teardown(() => server.close())
  const authority = startAuthority(schema.nodeFromJSON({ type: 'doc', content }))

  /** The editor page with a connection that ends here. */
  async function open (name: string) {
    const { page, problems } = await browser.newPage(t, { permissions: ['clipboard-read', 'clipboard-write'] })
    await connect(page, authority, name, changes)
    await page.goto(`${server.url}/web-apps/apps/documenteditor/main/index.html?parentOrigin=${server.url}`)
    await page.evaluate("postMessage({ type: 'page', command: 'open', config: {}, events: [] }, location.origin)")
    await page.locator('[data-content][aria-busy="false"]').waitFor({ state: 'attached' })
    return {
      page,
      problems,
      keyboard: page.keyboard,
      paragraph: (text: string) => page.locator('[data-paragraph]', { hasText: text }),
      button: (name: string) => page.getByRole('toolbar', { name: 'Formats' }).getByRole('button', { name }),
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
        send({ type: 'opened', title: name, fileType: 'docx', viewOnly: false, connectionId: name, batch: 0, users, content })
      } else if (type === 'edit') {
        operations.forEach(authority.receive)
        send({ type: 'received', batch })
      }
    })
  })
}

function shown (doc: Node): unknown[] {
  return doc.children.map(({ textContent, attrs: { level, list, depth } }) => [textContent, level, list, depth])
}

t.test('what is cut and pasted again is as it was, with all parts of the file', { skip: browser.missing }, async t => {
  const { authority, open } = await start(t, EVERYTHING, { levels: [0, 1, 2], lists: ['bullet', 'number'] })
  const { keyboard, page, problems, sent } = await open('Ada')
  const before = authority.doc()
  await textBox(page.mainFrame()).press('Control+a')
  await keyboard.press('Control+x')
  await page.locator('[data-paragraph]', { hasText: 'Ordinary' }).waitFor({ state: 'detached' })
  await keyboard.press('Control+v')
  await page.locator('[data-paragraph]', { hasText: 'Ordinary' }).waitFor()
  await sent()
  t.strictSame(authority.doc().toJSON(), before.toJSON())
  t.strictSame(problems, [])
})

t.test('the buttons set formats, headings and lists, and tell which the text at the caret has', { skip: browser.missing }, async t => {
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
  await grace.page.getByRole('heading', { name: 'fat thin', level: 2 }).waitFor()
  await keyboard.press('Enter')
  t.equal(await ada.page.getByLabel('Paragraph style').inputValue(), 'text', 'a paragraph follows')
  t.equal(await ada.button('Numbered list').count(), 0, 'the file has none')
  await ada.button('Bulleted list').click()
  await keyboard.type('item')
  await keyboard.press('Enter')
  await keyboard.press('Tab')
  await keyboard.type('deeper')
  await grace.paragraph('deeper').waitFor()
  await ada.sent()
  t.strictSame(shown(authority.doc()), [
    ['One', null, null, 0],
    ['fat thin', 2, null, 0],
    ['item', null, 'bullet', 0],
    ['deeper', null, 'bullet', 1],
    ['two', null, null, 0]
  ])
  await ada.page.getByRole('button', { name: 'Undo' }).click()
  await grace.paragraph('deeper').waitFor({ state: 'detached' })
  t.strictSame([...ada.problems, ...grace.problems], [])
})

t.test('text of other pages is pasted with the formats that the file can have, plain text line by line', { skip: browser.missing }, async t => {
  const { authority, open } = await start(t, [p('Above'), p('Below')])
  const { page, paragraph, problems, sent } = await open('Ada')
  // As an event: the browser itself would already change what is written to the clipboard.
  const paste = async (type: string, text: string) => await page.evaluate(`(() => {
    const clipboardData = new DataTransfer()
    clipboardData.setData(${JSON.stringify(type)}, ${JSON.stringify(text)})
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })()`)
  await caretTo('End', paragraph('Above'))
  await page.keyboard.press('Enter')
  await paste('text/html', `<b style="font-weight:normal"><p>x <span style="font-weight:700">fat</span> <a href="https://example.org">web</a>
    <a href="javascript:alert(1)">script</a></p><h5>Five</h5><ul><li>item</li></ul><ol><li><p>no list</p></li></ol>
    <table><tr><td>a</td><td>b</td></tr></table><img src="https://example.org/a.png"></b>`)
  await paragraph('no list').waitFor()
  await sent()
  t.strictSame(shown(authority.doc()), [
    ['Above', null, null, 0],
    ['x fat web script', null, null, 0],
    ['Five', null, null, 0],
    ['item', null, 'bullet', 0],
    ['no list', null, null, 0],
    ['a', null, null, 0],
    ['b', null, null, 0],
    ['Below', null, null, 0]
  ])
  t.equal(String(authority.doc().child(1)), 'paragraph("x ", bold("fat"), " ", link("web"), " script")')
  await caretTo('End', paragraph('Below'))
  await page.keyboard.type(' ')
  await paste('text/plain', 'one\n\n\tthree\u0001')
  await paragraph('three').waitFor()
  await sent()
  t.strictSame(authority.doc().children.slice(-3).map(({ textContent }) => textContent), ['Below one', '', '\tthree'])
  t.strictSame(problems, [])
})

t.test('a plain text has no formats: no buttons, no keys, and pasted text without them', { skip: browser.missing }, async t => {
  const { authority, open } = await start(t, [p('line')], { plain: true })
  const { keyboard, page, paragraph, sent } = await open('Ada')
  t.equal(await page.getByRole('toolbar', { name: 'Formats' }).count(), 0)
  await caretTo('Home', paragraph('line'))
  await keyboard.press('Shift+End')
  await keyboard.press('Control+b')
  await keyboard.press('End')
  await keyboard.press('Shift+Enter')
  await keyboard.type('next')
  await sent()
  t.equal(String(authority.doc()), 'doc(paragraph("line"), paragraph("next"))')
})
