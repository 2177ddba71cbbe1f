import type { AxeResults } from 'axe-core'
import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { editorFrame, startBrowser } from '../helpers/browser.js'
import { type Demo, startDemo, temporaryDirectory } from '../helpers/demo.js'

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const COLOUR_SCHEMES = ['light', 'dark'] as const
const browser = await startBrowser(t)

interface State {
  readonly path: (demo: Demo) => string | Promise<string>
  /** Brings the page into the state. */
  readonly reach?: (page: Page) => Promise<unknown>
  /** The path is answered with an error. */
  readonly isError?: boolean
}

const edit = (name: string, query = ''): State => ({
  path: async demo => `/edit/${await demo.idOf(name)}?user=ada${query}`,
  reach: editorFrame
})

/** Opens the menu of the first document, and its dialog of that name. */
const dialog = (item?: string): State => ({
  path: () => '/?user=ada',
  async reach (page) {
    await page.getByRole('button', { name: /^More for / }).first().click()
    const menu = page.getByRole('menu')
    await menu.waitFor()
    if (item === undefined) return
    await menu.getByRole('menuitem', { name: item }).click()
    await page.getByRole('dialog').waitFor()
  }
})

const states: Record<string, State> = {
  'the list': { path: () => '/?user=ada' },
  'the list after a search without a result': {
    path: () => '/?user=ada',
    reach: async page => await page.getByRole('searchbox').fill('no such document')
  },
  'a failed upload': {
    path: () => '/?user=ada',
    async reach (page) {
      await page.locator('[data-upload]').setInputFiles({ name: 'damaged.docx', mimeType: '', buffer: Buffer.from('MZ') })
      await page.getByText('damaged.docx').first().waitFor()
    }
  },
  'the menu of a document': dialog(),
  'the dialog to rename a document': dialog('Rename…'),
  'the dialog to convert a document': dialog('Convert…'),
  'the dialog to delete a document': dialog('Delete…'),
  'the dialog for a new document': {
    path: () => '/?user=ada',
    async reach (page) {
      await page.getByRole('button', { name: 'New' }).click()
      await page.getByRole('dialog').waitFor()
    }
  },
  'a document in the editor for text': edit('Project report.docx'),
  'a text file in the editor': edit('Release notes.txt'),
  'a document that can only be read': edit('Project report.docx', '&mode=view'),
  'the versions of a document': { path: async demo => `/documents/${await demo.idOf('Project report.docx')}/versions?user=ada` },
  'the saves that did not arrive': { path: () => '/forgotten?user=ada' },
  'a page for an unknown URL': { path: () => '/nothing', isError: true }
}

t.test('demo and emulated editor: axe finds nothing wrong on any page, in light and dark', { skip: browser.missing }, async t => {
  const demo = await startDemo(t, { directory: await temporaryDirectory(t) })
  for (const [name, { path, reach }] of Object.entries(states)) {
    const { page } = await browser.newPage(t)
    await page.addInitScript({ content: AXE })
    await page.goto(demo.url + await path(demo))
    await reach?.(page)
    for (const colorScheme of COLOUR_SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      t.strictSame(await violations(page), [], `${name}, ${colorScheme}`)
    }
    await page.close()
  }
})

/** What axe finds in each frame of a page: rule, elements and what is wrong. */
async function violations (page: Page): Promise<string[]> {
  const found = await Promise.all(page.frames().map(async frame => {
    const { violations } = await frame.evaluate(async () => await (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run(document, { iframes: false, resultTypes: ['violations'] })) as AxeResults
    const where = frame === page.mainFrame() ? 'page' : 'editor'
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target, any, all, none }) => `${where}: ${id} at ${target.join(' ')}: ${[...any, ...all, ...none].map(({ message }) => message).join('; ')}`))
  }))
  return found.flat()
}
