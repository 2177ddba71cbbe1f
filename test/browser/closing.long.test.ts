import type { FastifyInstance } from 'fastify'
import type { WebSocketRoute } from 'playwright-core'
import t from 'tap'
import { append, editorFrame, startBrowser, startPages, stopTime } from '../kit/browser.js'

const browser = await startBrowser(t)
const skip = browser.missing

t.test('the close button leads to closeUrl, else to the page that the user came from, else to a cover with which the document can be opened again', { skip }, async t => {
  const ends = new Map<string, (status: number) => void>()
  const service = await startPages(t, browser, {
    render: { events: ['onRequestClose'] },
    prepare (app) {
      app.get('/list', async (_request, reply) =>
        reply.type('text/html').send(
          '<!DOCTYPE html><title>List</title><link rel="icon" href="data:,"><a href="/edit/x">Open</a>'
        ))
    },
    onCallback: ({ status, fileId }) => {
      if (status !== 1) {
        ends.get(fileId)?.(status)
      }
    }
  })
  const fileId = await service.store('report.docx')
  const saved = new Promise<number>(resolve => ends.set(fileId, resolve))
  const ada = await service.open(fileId)
  await append(ada, 'Currency is EUR.', ' closed')
  await ada.editor.waitForSelector('[data-state="received"]')
  await ada.button('Close').click()
  await ada.page.getByRole('status').getByText('The document is closed').waitFor()
  t.equal(await ada.page.locator('iframe').count(), 0)
  t.equal(await saved, 2)
  t.equal(await ada.page.evaluate('document.activeElement.textContent'), 'Open it again')
  await ada.page.keyboard.press('Enter')
  const again = await editorFrame(ada.page)
  t.ok(await again.getByText('Currency is EUR. closed').isVisible())
  await ada.page.waitForFunction(() =>
    (globalThis as unknown as { events: Array<[name: string]> }).events.filter(([name]) => name === 'info').length === 2)
  t.match(
    (await ada.events()).filter(([name]) => name === 'info').at(-1),
    ['info', { mode: 'edit' }],
    'a fresh configuration: with the old key it could only be viewed'
  )
  t.strictSame(ada.problems, [])

  await ada.withModule(`async ({ mountEditor, unmountEditor }, fragment) => {
    await unmountEditor(fragment)
    fragment.dataset.closeUrl = 'javascript:document.title = "script"'
    await mountEditor(fragment)
  }`)
  await editorFrame(ada.page)
  await ada.button('Close').click()
  await ada.page.getByRole('status').getByText('The document is closed').waitFor()
  t.equal(await ada.page.title(), 'Editor')

  await ada.page.goto(`${service.origin}/list`)
  await ada.page.evaluate(`document.querySelector('a').href = ${JSON.stringify(`/edit/${fileId}`)}`)
  await ada.page.getByRole('link').click()
  await editorFrame(ada.page)
  await ada.button('Close').click()
  await ada.page.waitForURL('**/list')

  const direct = await startPages(t, browser, {
    defaults: { customization: { close: { text: 'Back' } } },
    render: { closeUrl: '/elsewhere' },
    prepare: app => {
      app.get('/elsewhere', async () => 'another page')
    }
  })
  const grace = await direct.open(await direct.store('report.docx'))
  await grace.button('Back').click()
  await grace.page.waitForURL('**/elsewhere')
  await grace.page.goBack()
  await grace.page.getByRole('button', { name: 'Open it again' }).or(grace.page.locator('iframe')).waitFor()
})

t.test('closing while nothing can be sent: the user is asked, keeps the document open, or closes it anyway', { skip }, async t => {
  const service = await startPages(t, browser, {
    render: { closeUrl: '/elsewhere' },
    prepare: app => {
      app.get('/elsewhere', async () => 'another page')
    }
  })
  const ada = await service.open(await service.store('report.docx'))
  await stopTime(ada.page)
  // An editor that says that something is unsent, whatever it does: the emulated one asks itself before it raises
  // onRequestClose.
  await ada.editor.evaluate(
    'parent.postMessage({ type: \'editor\', event: \'onDocumentStateChange\', data: true }, \'*\')'
  )
  await ada.event('documentstatechange')
  await ada.button('Close').click()
  await ada.page.getByRole('status').getByText('Saving…').waitFor()
  await ada.page.clock.fastForward(10_000)
  const question = ada.page.getByRole('alert')
  await question.getByText('Your last changes have not been sent yet').waitFor()
  await ada.page.getByRole('button', { name: 'Keep it open' }).click()
  t.equal(await question.count(), 0)
  t.equal(await ada.page.locator('iframe').evaluate(frame => (frame as unknown as { inert: boolean }).inert), false)

  await ada.button('Close').click()
  await ada.page.getByRole('status').getByText('Saving…').waitFor()
  await ada.page.clock.fastForward(10_000)
  await ada.page.getByRole('button', { name: 'Close anyway' }).click()
  await ada.page.waitForURL('**/elsewhere')
})

const LIST = {
  prepare (app: FastifyInstance) {
    app.get(
      '/list',
      async (_request, reply) =>
        reply.type('text/html').send('<!DOCTYPE html><title>List</title><link rel="icon" href="data:,">')
    )
    app.post(
      '/sent',
      async (_request, reply) =>
        reply.type('text/html').send('<!DOCTYPE html><title>Sent</title><link rel="icon" href="data:,">')
    )
  }
}
const BACK =
  `<a href="/list" data-onlyoffice-close><b>Documents</b></a> <button type="button" data-onlyoffice-close>Leave</button>
<a href="/list" target="elsewhere" data-onlyoffice-close>Beside</a> <a href="/list" download data-onlyoffice-close>As a file</a> <form method="post" action="/sent" enctype="text/plain"><button data-onlyoffice-close>Send</button></form>`

/** A socket that holds back what the page sends while `isHeld`. */
function holdable () {
  const waiting: Array<() => void> = []
  const gate = {
    isHeld: false,
    release () {
      gate.isHeld = false
      for (const send of waiting.splice(0)) send()
    },
    onSocket (socket: WebSocketRoute) {
      const server = socket.connectToServer()
      socket.onMessage(message => {
        if (gate.isHeld) waiting.push(() => server.send(message))
        else server.send(message)
      })
    }
  }
  return gate
}

// emulator/docs/document-server-protocol.md:
// the editor's own close button asks within a second of typing, and OK loses the
// text.
t.test('an element of the page with data-onlyoffice-close, right after typing: "Saving…", and nothing is lost; the editor has no button that would lose it', { skip }, async t => {
  for (const [role, name, closeUrl] of [['link', 'Documents', '/nowhere'], ['button', 'Leave', '/list'], [
    'button', 'Send', '/nowhere'
  ]] as const) {
    let ended = (_status: number) => {}
    const last = new Promise<number>(resolve => {
      ended = resolve
    })
    const service = await startPages(t, browser, {
      ...LIST,
      before: BACK,
      render: { closeUrl },
      onCallback: ({ status }) => {
        if (status !== 1) ended(status)
      }
    })
    const fileId = await service.store('report.docx')
    const gate = holdable()
    const ada = await service.open(fileId, { onSocket: gate.onSocket })
    t.equal(await ada.button('Close').count(), 0)
    gate.isHeld = true
    await append(ada, 'Currency is EUR.', ' typed just now')
    await stopTime(ada.page) // the page would ask after ten seconds
    const left = ada.page.waitForURL(name === 'Send' ? '**/sent' : '**/list')
    await ada.page.getByRole(role, { name }).click()
    await ada.page.getByRole('status').getByText('Saving…').waitFor()
    t.equal(
      await ada.page.locator('iframe').evaluate(frame => (frame as unknown as { inert: boolean }).inert),
      true,
      'nothing more can be typed'
    )
    await ada.page.getByRole(role, { name }).click() // again, by somebody impatient
    t.equal(await ada.page.title(), 'Editor', 'not before it is sent')
    await ada.page.clock.resume()
    gate.release()
    await left
    t.equal(await last, 2)
    t.match(
      await (await service.open(fileId)).editor.locator('[data-paragraph]', { hasText: 'Currency is EUR.' })
        .innerText(),
      / typed just now$/
    )
    t.strictSame(ada.problems, [])
  }
})

t.test('such an element never keeps a person: the user decides about what cannot be sent, a document that did not open is left at once, and another tab leaves the editor alone', { skip }, async t => {
  const service = await startPages(t, browser, { ...LIST, before: BACK, render: { closeUrl: '/list' } })
  const gate = holdable()
  const ada = await service.open(await service.store('report.docx'), { onSocket: gate.onSocket })
  const { page } = ada
  const leave = page.getByRole('button', { name: 'Leave' })
  // The browser would open a tab or store a file: what the module leaves to it is noted and prevented.
  await page.evaluate(
    'left = []; addEventListener("click", event => { if (!event.defaultPrevented) event.preventDefault(left.push(event.target.textContent)) })'
  )
  await page.getByRole('link', { name: 'Documents' }).click({ modifiers: ['ControlOrMeta'] })
  await page.getByRole('link', { name: 'Beside' }).click()
  await page.getByRole('link', { name: 'As a file' }).click()
  t.strictSame(await page.evaluate('left'), ['Documents', 'Beside', 'As a file'])
  t.equal(await page.locator('iframe').evaluate(frame => (frame as unknown as { inert: boolean }).inert), false)
  await page.evaluate(
    'document.addEventListener("click", event => event.preventDefault(), { capture: true, once: true })'
  )
  await leave.click()
  t.equal(
    await page.locator('iframe').evaluate(frame => (frame as unknown as { inert: boolean }).inert),
    false,
    'a listener of the page takes its place'
  )

  gate.isHeld = true
  await append(ada, 'Currency is EUR.', ' kept')
  await ada.event('documentstatechange')
  await stopTime(page)
  await leave.click()
  await page.getByRole('status').getByText('Saving…').waitFor()
  await page.clock.fastForward(10_000)
  await page.getByRole('alert').getByText('Your last changes have not been sent yet').waitFor()
  await page.getByRole('button', { name: 'Keep it open' }).click()
  t.equal(await page.getByRole('alert').count(), 0)
  t.equal(await page.locator('iframe').evaluate(frame => (frame as unknown as { inert: boolean }).inert), false)
  t.equal(await page.title(), 'Editor')
  await leave.click()
  await page.getByRole('status').getByText('Saving…').waitFor()
  await page.clock.fastForward(10_000)
  await page.getByRole('button', { name: 'Close anyway' }).click()
  await page.waitForURL('**/list')
  await page.clock.resume()

  const broken = await service.open(await service.store('report.docx'), { badToken: 'none' })
  await broken.page.getByRole('alert').waitFor()
  await broken.page.getByRole('button', { name: 'Leave' }).click()
  await broken.page.waitForURL('**/list')

  gate.release()
  await page.goto(`${service.origin}/edit/${await service.store('report.docx')}`)
  await editorFrame(page)
  await page.evaluate(
    `document.querySelector('[data-onlyoffice-editor]').dataset.closeUrl = 'javascript:document.title = "script"'
    document.querySelector('a').href = 'javascript:document.title = "script"'`
  )
  await page.getByRole('link', { name: 'Documents' }).click()
  await page.getByRole('status').getByText('The document is closed').waitFor()
  t.equal(await page.title(), 'Editor', 'only http(s) URLs')
})

// emulator/docs/document-server-protocol.md: in strict co-editing nothing is sent until the user saves.
t.test('strict co-editing: who closes unsaved changes is told to press Save first, and so is the developer', { skip }, async t => {
  const service = await startPages(t, browser, {
    ...LIST,
    before: BACK,
    defaults: { coEditing: { mode: 'strict', change: false } }
  })
  const ada = await service.open(await service.store('report.docx'))
  const { page } = ada
  await append(ada, 'Currency is EUR.', ' unsaved')
  await ada.event('documentstatechange')
  t.match(
    await ada.withModule(
      '({ unmountEditor }, fragment) => unmountEditor(fragment, { timeout: 700 }).catch(({ code, message }) => ({ code, message }))'
    ),
    { code: 'unsent', message: /700 ms: in strict co-editing.*press Save first/ }
  )
  await stopTime(page)
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('status').getByText('Saving…').waitFor()
  await page.clock.fastForward(3000)
  await page.getByRole('alert').getByText('Press Save first.').waitFor()
  await page.getByRole('button', { name: 'Keep it open' }).click()
  await ada.button('Save').click()
  await ada.editor.waitForSelector('[data-state="stored"]')
  await page.getByRole('link', { name: 'Documents' }).click()
  await page.clock.resume()
  await page.waitForURL('**/list')
  t.strictSame(ada.problems, [])
})
