// Pages whose documents cannot be stored: they report it, and that it is over.
import { strFromU8, unzipSync } from 'fflate'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { fileStorage } from '../../lib/index.js'
import type { DocumentStore } from '../../lib/store/contract.js'
import { append, caretTo, type Opened, paragraph, startBrowser, startPages, type TestBrowser } from '../kit/browser.js'

const browser = await startBrowser(t)
const skip = browser.missing

const UNSTORED = 'Your latest changes are not stored yet'
const STORED = 'Your changes are stored again'

/** A directory whose disk is full for saves. */
async function startOnFullDisk (t: Test, browser: TestBrowser, options: Parameters<typeof startPages>[2] = {}) {
  const files = fileStorage({ directory: join(t.testdir(), 'uploads') })
  const disk = { isFull: false }
  const full = () => { if (disk.isFull) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }) }
  const storage: DocumentStore = {
    ...files,
    async commit (...args) {
      full()
      return await files.commit(...args)
    }
  }
  const asked: string[] = []
  const service = await startPages(t, browser, {
    storage,
    saveRetries: 0,
    authorize ({ action }) { asked.push(action); return undefined },
    ...options
  })
  return { ...service, disk, questions: () => asked.filter(action => action === 'saveState').length }
}

const notice = ({ page }: Opened) => page.locator('.onlyoffice-notice')

/** Presses the editor's Save. */
async function save ({ editor, documentServer }: Opened, state: 'stored' | 'error'): Promise<void> {
  const answered = documentServer.nextCallback(6)
  await editor.click('[data-action="save"]')
  await answered
  if (state === 'stored') await editor.waitForSelector('[data-state="stored"]')
}

/** Notes the texts of all notices from now on: one that passes may be gone before the test looks. */
async function noteNotices ({ page }: Opened): Promise<() => Promise<string>> {
  await page.evaluate(`
    globalThis.notices = ''
    const fragment = document.querySelector('[data-onlyoffice-editor]')
    new MutationObserver(() => { notices += document.querySelector('.onlyoffice-notice')?.innerText ?? '' })
      .observe(fragment, { childList: true, subtree: true })`)
  return async () => await page.evaluate<string>('notices')
}

/** Lets the page's time pass until something is true. */
async function passTime ({ page }: Opened, isTrue: () => Promise<boolean>): Promise<void> {
  while (!await isTrue()) {
    await page.clock.runFor(5000)
    await delay(20) // for the answer
  }
}

t.test('everybody who edits learns that the last save was refused, and that it is stored again', { skip }, async t => {
  const service = await startOnFullDisk(t, browser)
  const fileId = await service.store('report.docx')
  const ada = await service.open(fileId, { movableTime: true })
  const grace = await service.open(fileId, { movableTime: true, user: 'Grace Hopper' })
  service.disk.isFull = true
  await append(grace, 'Table 1 is rounded.', ' Grace')
  await append(ada, 'Currency is EUR.', ' Ada')
  await save(ada, 'error')
  for (const page of [ada, grace]) {
    await passTime(page, async () => await notice(page).getByText(UNSTORED).isVisible())
    t.equal(await notice(page).getByRole('status').getByText(UNSTORED).count(), 1, 'announced when there is time')
    t.equal(await page.page.evaluate('document.activeElement.className.includes("notice")'), false, 'without the focus')
    t.equal(await notice(page).locator('.onlyoffice-notice-details').count(), 0, 'a code of the storage is not shown')
  }
  await ada.button('Bold').click() // not covered
  const noted = [await noteNotices(ada), await noteNotices(grace)]
  service.disk.isFull = false
  await append(ada, 'Currency is EUR. Ada', ' again')
  await save(ada, 'stored')
  for (const [index, page] of [ada, grace].entries()) {
    await passTime(page, async () => (await noted[index]!()).includes(STORED))
    await passTime(page, async () => await notice(page).count() === 0)
  }
  const before = service.questions()
  await ada.page.clock.runFor(600_000)
  await grace.page.clock.runFor(600_000)
  t.ok(service.questions() - before < 10, 'no page asks every half minute')
})

t.test('the notice can be hidden, comes back with another refusal only, and the page may show its own', { skip }, async t => {
  const service = await startOnFullDisk(t, browser)
  const fileId = await service.store('report.docx')
  const ada = await service.open(fileId, { movableTime: true })
  service.disk.isFull = true
  await append(ada, 'Currency is EUR.', ' Ada')
  await save(ada, 'error')
  await passTime(ada, async () => await notice(ada).getByText(UNSTORED).isVisible())
  await notice(ada).getByRole('button', { name: 'OK' }).click()
  t.equal(await notice(ada).count(), 0)
  for (let round = 0; round < 3; round++) {
    const answered = ada.page.waitForResponse(/actions\/saveState$/)
    await ada.page.clock.runFor(10_000)
    await answered
  }
  t.equal(await notice(ada).count(), 0, 'the same state')

  await ada.page.evaluate(`
    globalThis.states = []
    document.addEventListener('savestatechange', event => { states.push(event.detail); event.preventDefault() })`)
  service.disk.isFull = false
  await append(ada, 'Currency is EUR. Ada', ' again')
  await save(ada, 'stored')
  await passTime(ada, async () => await ada.page.evaluate('states.length') === 1)
  service.disk.isFull = true
  await append(ada, 'Currency is EUR. Ada again', ', and again')
  await save(ada, 'error')
  await passTime(ada, async () => await ada.page.evaluate('states.length') === 2)
  t.match(await ada.page.evaluate('states'), [{ saved: true }, { saved: false, since: /^\d{4}-/ }])
  t.equal(await notice(ada).count(), 0)
})

t.test('whoever types a forbidden word and saves reads why it is not stored; without the word it is', { skip }, async t => {
  const failures: string[] = []
  const service = await startPages(t, browser, {
    async inspect ({ content }) {
      const xml = unzipSync(new Uint8Array(await buffer(content)))['word/document.xml']
      return strFromU8(xml!).includes('Voldemort') ? { reject: true, message: 'Remove the name <img src=x onerror=alert(1)> of "V."' } : true
    },
    onSaveFailed ({ code, error }) { failures.push(`${code}: ${error.message}`) }
  })
  const fileId = await service.store('report.docx')
  const before = await service.storedText(fileId)
  const ada = await service.open(fileId, { movableTime: true })
  await append(ada, 'Currency is EUR.', ' Voldemort')
  await save(ada, 'error')
  const message = notice(ada).getByText('Remove the name <img src=x onerror=alert(1)> of "V."', { exact: true })
  await passTime(ada, async () => await message.isVisible())
  t.ok(await notice(ada).getByText(UNSTORED).isVisible())
  t.equal(await notice(ada).locator('img, .onlyoffice-notice-details').count(), 0, 'as text, and without a code')
  t.equal(await service.storedText(fileId), before)
  t.strictSame(failures, ['FST_EDITOR_REJECTED: Remove the name <img src=x onerror=alert(1)> of "V."'])
  if (process.env.SHOT) await ada.page.screenshot({ path: process.env.SHOT })

  await caretTo('End', paragraph(ada, 'Voldemort'))
  for (let letters = 'oldemort'.length; letters > 0; letters--) await ada.page.keyboard.press('Backspace')
  const noted = await noteNotices(ada)
  await save(ada, 'stored')
  await passTime(ada, async () => (await noted()).includes(STORED))
  t.not(await service.storedText(fileId), before)
  t.equal(failures.length, 1)
})
