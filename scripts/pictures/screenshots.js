// Takes docs/screenshots/*.png again: the demo with some work in it, and what a page shows when something is wrong.
// npm run screenshots
import { launchBrowser } from '../../test/kit/browser.js'
import { startDemo } from './screenshots/demo.js'
import { work } from './screenshots/work.js'
import { conflict, dialogs, editors, formats, histories, lists, troubles } from './screenshots/scenes.js'
import { snippet } from './screenshots/snippet.js'

const browser = await launchBrowser()
try {
  const demo = await startDemo(browser)
  try {
    await work(demo)
    for (const scene of [lists, editors, formats, histories, dialogs, conflict, troubles]) await scene(browser, demo)
  } finally {
    await demo.close()
  }
  await snippet(browser)
} finally {
  await browser.close()
}
