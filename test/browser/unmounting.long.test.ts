import t from 'tap'
import { append, editorFrame, startBrowser, startPages } from '../kit/browser.js'

const browser = await startBrowser(t)
const skip = browser.missing

t.test('unmountEditor() right after typing waits until the text is sent, and nothing is lost; { force } loses it', { skip }, async t => {
  let ended = (_status: number) => {}
  const service = await startPages(t, browser, { onCallback: ({ status }) => { if (status !== 1) ended(status) } })
  for (const [force, status, expected] of [[false, 2, /Currency is EUR\. typed just now$/], [true, 4, /Currency is EUR\.$/]] as const) {
    const last = new Promise<number>(resolve => { ended = resolve })
    const fileId = await service.store('report.docx')
    let isHeld = false
    const ada = await service.open(fileId, {
      onSocket (socket) {
        const server = socket.connectToServer()
        socket.onMessage(message => { if (!isHeld) server.send(message) })
      }
    })
    isHeld = force // what was typed may be sent at any moment
    await append(ada, 'Currency is EUR.', ' typed just now')
    t.strictSame(await ada.withModule(`async ({ unmountEditor }, fragment) => {
      const unmounting = unmountEditor(fragment, { force: ${force} })
      const isInert = fragment.querySelector('iframe')?.inert === true
      await unmounting
      return [isInert, fragment.querySelectorAll('iframe').length]
    }`), [!force, 0], 'meanwhile nothing more can be typed')
    t.equal(await last, status)
    const again = await service.open(fileId)
    t.match(await again.editor.locator('[data-paragraph]', { hasText: 'Currency is EUR.' }).innerText(), expected)
    t.strictSame([...ada.problems, ...again.problems], [])
  }
})

t.test(
  'while nothing can be sent, unmountEditor() fails after its limit and leaves the editor; mountEditor() waits for an unmount and mounts anew',
  { skip },
  async t => {
    const service = await startPages(t, browser)
    let deliver = () => {}
    const held = new Promise<void>(resolve => {
      deliver = resolve
    })
    let isCut = false
    const ada = await service.open(await service.store('report.docx'), {
      onSocket (socket) {
        const server = socket.connectToServer()
        socket.onMessage(async message => {
          if (isCut) await held
          server.send(message)
        })
      }
    })
    isCut = true
    await append(ada, 'Currency is EUR.', ' kept')
    t.match(
      await ada.withModule(
        `({ unmountEditor }, fragment) => Promise.all([unmountEditor(fragment, { timeout: 700 }), unmountEditor(fragment)]
    .map(unmounting => unmounting.catch(({ name, code, message }) => ({ name, code, message }))))`
      ),
      [{ name: 'UnsentChangesError', code: 'unsent', message: /700 ms.*force: true/ }, { code: 'unsent' }]
    )
    t.equal(await ada.page.locator('iframe').evaluate(frame => (frame as unknown as { inert: boolean }).inert), false)
    await append(ada, 'Currency is EUR. kept', ' too')

    const mounted = ada.withModule(`async ({ mountEditor, unmountEditor }, fragment) => {
    const before = await mountEditor(fragment)
    const unmounting = unmountEditor(fragment)
    const after = await mountEditor(fragment)
    await unmounting
    return [before === after, fragment.querySelectorAll('iframe').length, await mountEditor(fragment) === after]
  }`)
    deliver()
    t.strictSame(await mounted, [false, 1, true])
    const editor = await editorFrame(ada.page)
    t.ok(await editor.getByText('Currency is EUR. kept too').isVisible())

    t.equal(await ada.withModule(`async ({ unmountEditor }, fragment) => {
    fragment.remove()
    await unmountEditor(fragment)
    await unmountEditor(fragment)
    return fragment.querySelectorAll('iframe').length
  }`), 0, 'a fragment that is not in the page any more: at once, and twice does no harm')
  })
