import t from 'tap'
import { append, caretTo, close, paragraph, shownText, startBrowser, startPages, statuses, textBox, WAIT_FOR_RECONNECT_MS } from '../kit/browser.js'
import { holdTimers } from '../kit/time.js'

const browser = await startBrowser(t)

t.test(
  'a lost connection is restored automatically: edits made meanwhile on both sides are merged, and no save is sent before its delay has passed',
  { skip: browser.missing },
  async t => {
    const service = await startPages(t, browser)
    const timers = holdTimers(t, WAIT_FOR_RECONNECT_MS)
    const fileId = await service.store('report.docx')
    const ada = await service.open(fileId)
    const grace = await service.open(fileId, { user: 'Grace Hopper' })
    await append(ada, 'Currency is EUR.', ' Before.')
    await paragraph(grace, 'Before.').waitFor()

    await service.documentServer.crash()
    for (const { editor } of [ada, grace]) {
      await editor.locator('[data-cut]').waitFor()
      t.equal(await editor.locator('[data-state]').textContent(), 'Reconnecting…')
    }
    await append(ada, 'Before.', ' Ada, alone.')
    await ada.page.keyboard.press('Enter')
    await ada.page.keyboard.type('A paragraph of hers.')
    await append(grace, 'Table 1 is rounded.', ' Grace, alone.')
    await caretTo('Home', paragraph(grace, 'Before.'))
    await grace.page.keyboard.type('Both: ')
    await service.documentServer.restart({ sessions: 'kept' })

    for (const opened of [ada, grace]) {
      await opened.editor.locator('[data-cut]').waitFor({ state: 'hidden' })
      await opened.editor.getByText('Both: Currency is EUR. Before. Ada, alone.', { exact: true }).waitFor()
      await opened.editor.getByText('A paragraph of hers.', { exact: true }).waitFor()
      await opened.editor.getByText('Table 1 is rounded. Grace, alone.', { exact: true }).waitFor()
      await opened.editor.waitForSelector('[data-state="received"]')
    }
    t.equal(statuses(service).includes(2), false, 'the session goes on')
    timers.pass()
    await close(ada)
    await close(grace)
    t.equal(statuses(service).filter(status => status === 2).length, 1)
  })

t.test('repeated connection losses while typing neither lose nor duplicate a character', { skip: browser.missing }, async t => {
  const service = await startPages(t, browser)
  const timers = holdTimers(t, WAIT_FOR_RECONNECT_MS)
  const fileId = await service.store('notes.txt')
  const ada = await service.open(fileId)
  const before = await shownText(ada.editor)
  await textBox(ada.editor).press('ControlOrMeta+End')
  let typed = ''
  for (let cuts = 0; cuts < 4; cuts++) {
    const line = `line ${cuts}, which is long enough to be sent in pieces while the connection goes away\n`
    await ada.page.keyboard.type(line, { delay: 5 })
    for (const client of service.documentServer.websocketServer.clients) client.terminate()
    await ada.page.keyboard.type('more\n')
    typed += `${line}more\n`
    await ada.editor.waitForSelector('[data-state="received"]')
  }
  timers.pass()
  await close(ada)
  t.equal(await service.storedText(fileId), before + typed)
  t.equal(statuses(service).filter(status => status === 2).length, 1)
})

t.test('a page whose session has ended meanwhile stops editing and shows the unsent changes so that they can be copied', { skip: browser.missing }, async t => {
  const service = await startPages(t, browser)
  const fileId = await service.store('notes.txt')
  const ada = await service.open(fileId)
  await service.documentServer.crash()
  await ada.editor.locator('[data-cut]').waitFor()
  await textBox(ada.editor).fill('written in vain?')
  await service.documentServer.restart({ sessions: 'lost' })

  await ada.editor.locator('[data-unsent-text]').waitFor()
  t.equal(await ada.editor.locator('[data-unsent-text]').inputValue(), 'written in vain?')
  t.equal(await ada.editor.locator('[data-screen-title]').textContent(), 'The connection was lost for too long')
  await ada.editor.click('[data-action="reload"]')
  await textBox(ada.editor).waitFor()
  t.match(await shownText(ada.editor), /^Meeting notes/, 'the document is opened again, with a fresh configuration')
})
