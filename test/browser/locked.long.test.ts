import t from 'tap'
import { append, shownText, startBrowser, startPages } from '../kit/browser.js'

const browser = await startBrowser(t)
const REASON = 'Grace has locked it <img src=x onerror=alert(1)>'

t.test('a frozen document: the editor closes with a save; reloaded, it shows the document and the reason as text', { skip: browser.missing }, async t => {
  const pages = await startPages(t, browser, { defaults: { lang: 'de' } })
  const { app } = pages
  const fileId = await pages.store('notes.txt')
  const opened = await pages.open(fileId)
  const { page, problems } = opened
  const [first = ''] = (await shownText(opened.editor)).split('\n')
  await append(opened, first, ' and more')
  await opened.editor.waitForSelector('[data-state]:not([data-state="editing"], [data-state="saving"])')
  const { release } = await app.editorSessions.freeze(fileId, { reason: REASON })
  t.match(await pages.storedText(fileId), `${first} and more`, 'what was typed is stored')

  await page.reload()
  const notice = page.locator('.onlyoffice-notice')
  await notice.getByText('Dieses Dokument kann zurzeit nur angesehen werden').waitFor()
  t.match(await notice.innerText(), REASON, 'the reason is text')
  t.equal(await notice.locator('img').count(), 0)
  t.match(await opened.event('info'), { mode: 'view' })
  if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/locked.png` })
  await notice.getByRole('button').click()
  t.equal(await notice.count(), 0)

  await release()
  await page.reload()
  t.match(await opened.event('info'), { mode: 'edit' })
  t.equal(await notice.count(), 0)
  t.strictSame(problems.filter(problem => !/4007|dropped/.test(problem)), [])
})

t.test('who has a document open when it is frozen is told why the editor closes: an editor, a viewer, and who comes back with an old page', { skip: browser.missing }, async t => {
  const pages = await startPages(t, browser)
  const { app } = pages
  const fileId = await pages.store('notes.txt')
  const old = await pages.open(fileId)
  const ada = await pages.open(fileId)
  const viewer = await pages.open(fileId, { user: 'Grace Hopper', mode: 'view' })
  for (const { page } of [old, ada, viewer]) {
    await page.evaluate('title = ""; document.addEventListener("metachange", ({ detail }) => { title = detail.title })')
  }
  await old.withModule('({ unmountEditor }, fragment) => unmountEditor(fragment)')
  const { release } = await app.editorSessions.freeze(fileId, { reason: REASON })
  for (const { page, problems, withModule } of [ada, viewer, old]) {
    if (page === old.page) await withModule('({ mountEditor }, fragment) => mountEditor(fragment).then(() => {})')
    const alert = page.getByRole('alert')
    await alert.getByText('This document can only be viewed at the moment').waitFor()
    t.equal(await alert.getByText(REASON).count(), 1, 'the reason is text')
    t.equal(await page.evaluate('title'), '', 'the page is not told that the document was renamed')
    t.strictSame(problems, [])
  }

  await ada.page.getByRole('button', { name: 'Reload the page' }).click()
  await ada.page.getByRole('status').getByText(REASON).waitFor()
  await release()
  for (const opened of [ada, viewer]) {
    await opened.page.reload()
    await opened.event('documentready')
    t.equal(await opened.page.locator('.onlyoffice-notice').count(), 0)
  }
})

t.test('what somebody types until the document is frozen, and while it is, is stored', { skip: browser.missing }, async t => {
  const pages = await startPages(t, browser)
  const fileId = await pages.store('notes.txt')
  const opened = await pages.open(fileId)
  const { page, editor } = opened
  const [first = ''] = (await shownText(editor)).split('\n')
  await append(opened, first, ' and')
  const frozen = new AbortController()
  const typing = (async () => { while (!frozen.signal.aborted) await page.keyboard.press('x') })()
  await pages.app.editorSessions.freeze(fileId)
  frozen.abort()
  await typing
  const [shown = ''] = (await shownText(editor)).split('\n')
  t.match(shown, /andx+$/)
  t.equal((await pages.storedText(fileId))?.split('\n')[0], shown)
})
