// Some work in the demo, so that its documents have contents and histories.
import { NOTES, REPORT } from './demo.js'

/** @import { Frame, Page } from 'playwright-core' */
/** @import { Demo } from './demo.js' */

const AGENDA = `Meeting of 12 November

Present: Mira, Jonas, Teodora

1. Figures of the third quarter
2. Support
3. Next meeting
`

const MINUTES = `Meeting of 12 November

Present: Mira, Jonas, Teodora

1. Figures of the third quarter
   Orders grew in all three regions.
2. Support
   We hire one person.
3. Next meeting: 3 December
`

const CORRECTED = MINUTES.replace('We hire one person.', 'We hire two people. Mira writes the advertisement.')

/** @param {Demo} demo */
export async function work ({ edit }) {
  await edit('mira', REPORT, writeSummary)
  await edit('jonas', REPORT, async (editor, page) => {
    await editor.locator('[data-paragraph]', { hasText: 'Currency is EUR.' }).click()
    await page.keyboard.press('End')
    await page.keyboard.type(' All amounts are rounded to thousands.')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Next steps: agree on the budget, and hire two people for support.')
  })
  for (const [user, text] of Object.entries({ mira: AGENDA, teodora: MINUTES, jonas: CORRECTED })) {
    await edit(user, NOTES, editor => editor.getByRole('textbox').fill(text))
  }
}

/**
 * Replaces the paragraph of the report for whose writing systems not every machine has fonts.
 * @param {Frame} editor
 * @param {Page} page
 */
export async function writeSummary (editor, page) {
  await editor.getByText('This document has').click()
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+End')
  await page.keyboard.type(
    'Orders grew in all three regions. The East sold the most units, and the North caught up with it.'
  )
  await editor.waitForSelector('[data-state="received"]')
}
