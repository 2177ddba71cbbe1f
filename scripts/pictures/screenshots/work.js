// Some work in the demo, so that its documents have contents and histories.
import { NOTES, REPORT } from './demo.js'

/** @import { Demo } from './demo.js' */

const AGENDA = `Meeting of 12 November

Present: Mira, Jonas, Teodora

1. The letters above the door
2. Chairs
3. Next meeting
`

const MINUTES = `Meeting of 12 November

Present: Mira, Jonas, Teodora

1. The letters above the door
   They say "Bread". We keep them.
2. Chairs
   We need 26 more.
3. Next meeting: 3 December
`

const CORRECTED = MINUTES.replace('We need 26 more.', 'Jonas fetches 26 from the school, on Sunday.')

/** @param {Demo} demo */
export async function work ({ edit }) {
  await edit('jonas', REPORT, async (editor, page) => {
    await editor.locator('[data-paragraph]', { hasText: 'Entrance is free.' }).click()
    await page.keyboard.press('End')
    await page.keyboard.type(' Soup is free, too.')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Next steps: fetch the chairs, and ask the carpenter about the ramp.')
  })
  for (const [user, text] of Object.entries({ mira: AGENDA, teodora: MINUTES, jonas: CORRECTED })) {
    await edit(user, NOTES, editor => editor.getByRole('textbox').fill(text))
  }
}
