import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Frame, Page } from 'playwright-core'
import t from 'tap'
import { startBrowser } from '../kit/browser.js'
import { startDemo, temporaryDirectory } from '../kit/programs.js'
import { states } from './states.js'

const COLOR_SCHEMES = ['light', 'dark'] as const
const SOURCE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface WithAxe { readonly axe: { run (options: object): Promise<AxeResults> } }

/** Loads axe into every frame of a page, as its content security policy does not forbid. */
export async function loadAxe (page: Page): Promise<void> {
  await page.addInitScript({ content: SOURCE })
}

/** What axe finds in any frame of a page, in light and dark: where, rule, element and what is wrong. */
export async function violations (page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of COLOR_SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const frame of page.frames()) {
      const where = frame === page.mainFrame() ? 'page' : 'editor'
      for (const violation of await violationsIn(frame)) found.push(`${colorScheme}, ${where}: ${violation}`)
    }
  }
  return found
}

/** Each frame is examined by itself, because axe cannot look into frames of other origins. */
async function violationsIn (frame: Frame): Promise<string[]> {
  const { violations } = await frame.evaluate(async () => await (globalThis as unknown as WithAxe).axe.run({ iframes: false, resultTypes: ['violations'] }))
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, any, all, none }) => {
    const reasons = [...any, ...all, ...none].map(({ message }) => message)
    return `${id} at ${target.join(' ')}: ${reasons.join('; ')}`
  }))
}

const browser = await startBrowser(t)
t.setTimeout(900_000) // of all pages together

t.test('demo, editor and its messages: axe finds nothing wrong with any of them, in light and dark', { skip: browser.missing, timeout: 900_000 }, async t => {
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
