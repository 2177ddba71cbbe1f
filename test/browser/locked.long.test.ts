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
  t.match(await opened.event('onInfo'), { mode: 'view' })
  if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/locked.png` })
  await notice.getByRole('button').click()
  t.equal(await notice.count(), 0)

  await release()
  await page.reload()
  t.match(await opened.event('onInfo'), { mode: 'edit' })
  t.equal(await notice.count(), 0)
  t.strictSame(problems.filter(problem => !/4007|dropped/.test(problem)), [])
})
