import t from 'tap'
import { startBrowser } from '../kit/browser.js'
import { startDemo, temporaryDirectory } from '../helpers/demo.js'
import { loadAxe, violations } from './axe.js'
import { states } from './states.js'

const browser = await startBrowser(t)
t.setTimeout(300_000) // of all pages together

t.test('demo, editor and its messages: axe finds nothing wrong with any of them, in light and dark', { skip: browser.missing, timeout: 300_000 }, async t => {
  const directory = await temporaryDirectory(t)
  const demo = await startDemo(t, { directory })
  for (const [name, { path, prepare, reach, device }] of Object.entries(states)) {
    await t.test(name, async t => {
      const { page } = await browser.newPage(t, device)
      await loadAxe(page)
      await prepare?.(page)
      await page.goto(new URL(await path(demo), demo.url).href)
      await reach?.(page, { ...demo, directory })
      t.strictSame(await violations(page), [])
    })
  }
})
