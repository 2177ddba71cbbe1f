import type { Locator } from 'playwright-core'
import t from 'tap'
import { caretTo, startBrowser } from '../../../test/kit/browser.js'
import { type EditorPage, startEditing } from '../protocol/editor/pages.js'

const browser = await startBrowser(t)

const paragraph = ({ frame }: EditorPage, text: RegExp): Locator =>
  frame.locator('[data-paragraph]', { hasText: text })

/** The caret of another user, right behind a text. */
function caretOf (name: string, { frame }: EditorPage, text: string): Locator {
  return frame.locator(`xpath=//span[@data-by="${name}"][preceding-sibling::node()[1][. = "${text}"]]`)
}

t.test('others see a caret where its user has it: behind what was typed before a table, beside what they have not sent, and moved by what they have', { skip: browser.missing }, async t => {
  const { open } = await startEditing(t, browser)
  const openAs = async (name: string) => await open('K', {
    change: config => ({ ...config, editorConfig: { ...config.editorConfig, user: { id: name, name } } })
  })
  const [ada, grace] = [await openAs('Ada'), await openAs('Grace')]
  await ada.stopTimers()
  await caretTo('End', paragraph(ada, /^Figures/))
  await ada.page.keyboard.type(' of 2026')
  await ada.page.clock.runFor(10_000)
  await ada.sent()
  await ada.page.clock.runFor(10_000)
  await caretOf('Ada', grace, 'Figures of 2026').waitFor()

  await grace.stopTimers()
  await caretTo('Home', paragraph(grace, /^Quarterly/))
  await grace.page.keyboard.type('The ')
  await caretTo('End', paragraph(ada, /^Currency/))
  await ada.page.clock.runFor(10_000)
  await caretOf('Ada', grace, 'Currency is EUR.').waitFor()

  await grace.page.clock.resume()
  await paragraph(ada, /^The Quarterly/).waitFor()
  await ada.page.clock.runFor(10_000)
  await caretOf('Ada', await openAs('Mira'), 'Currency is EUR.').waitFor()
  t.strictSame([...ada.problems, ...grace.problems], [])
})
