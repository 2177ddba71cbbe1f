import t from 'tap'
import { startBrowser } from '../helpers/browser.js'
import { startDemo, temporaryDirectory } from '../helpers/demo.js'
import { loadAxe, violations } from './axe.js'
import { states } from './states.js'

t.setTimeout(300_000)

const browser = await startBrowser(t)

t.test('demo, editor and its messages: axe finds nothing wrong with any of them, in light and dark', { skip: browser.missing }, async t => {
  const directory = await temporaryDirectory(t)
  const demo = await startDemo(t, { directory })
  for (const [name, { path, prepare, reach, size }] of Object.entries(states)) {
    const { page } = await browser.newPage(t, size ? { viewport: size } : {})
    await loadAxe(page)
    await prepare?.(page)
    await page.goto(new URL(await path(demo), demo.url).href)
    await reach?.(page, { ...demo, directory })
    t.strictSame(await violations(page), [], name)
    await page.context().close()
  }
})
