import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContextOptions, Frame, FrameLocator, Page, WebSocketRoute } from 'playwright-core'
import { caretTo, choose, editorFrame } from '../kit/browser.js'
import type { Demo } from '../kit/programs.js'

/** Something that a page of the demo can show. */
export interface State {
  /** Path of the page, or a URL. */
  readonly path: (demo: Demo) => string | Promise<string>
  /** What must not work for it. */
  readonly prepare?: (page: Page) => Promise<unknown>
  /** Brings the page into the state. */
  readonly reach?: (page: Page, demo: Demo & { readonly directory: string }) => Promise<unknown>
  /** Default: a desktop. */
  readonly device?: BrowserContextOptions
}

const REPORT = 'Opening week.docx'
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
const list: State = { path: () => '/?user=mira' }

const inEditor = (name: string, reach: (editor: Frame, page: Page) => Promise<unknown> = async () => {}): State => ({
  path: async demo => `/edit/${await demo.idOf(name)}?user=mira`,
  reach: async page => await reach(await editorFrame(page), page)
})

const reading = (name: string): State => ({
  path: async demo => `/edit/${await demo.idOf(name)}?user=mira&mode=view`,
  reach: editorFrame
})

/** Waits for the editor in a page of the demo that is in a frame. */
async function editorIn (frame: FrameLocator): Promise<void> {
  await frame.frameLocator('iframe').locator('[data-content][aria-busy="false"]').waitFor()
}

/** Opens what the bar of every page offers. */
async function openPreferences (page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Mira Sandoval' }).click()
  await page.getByRole('dialog').waitFor()
}

/** The menu of the first document, or the dialog that an item of it opens. */
const menu = (item?: string): State => ({
  ...list,
  async reach (page) {
    await page.getByRole('button', { name: /^More for / }).first().click()
    await page.getByRole('menu').waitFor()
    if (item === undefined) return
    await page.getByRole('menuitem', { name: item }).click()
    await page.getByRole('dialog').waitFor()
  }
})

const editorDialog = (name: string, item: string): State => inEditor(name, async editor => {
  await choose(editor, item)
  await editor.getByRole('dialog').waitFor()
})

/** The connection is lost once the document is open, and every attempt to connect again fails. */
function withoutConnection (): State {
  const sockets: WebSocketRoute[] = []
  return {
    ...inEditor(REPORT, async editor => {
      await sockets[0]!.close()
      await editor.locator('[data-cut]').waitFor()
    }),
    async prepare (page) {
      await page.routeWebSocket(/\/doc\/socket$/, async socket => {
        if (sockets.push(socket) > 1) await socket.close()
        else socket.connectToServer()
      })
    }
  }
}

/** Something is unsent, and cannot be sent in time. */
function closingWithoutConnection (): State {
  const { path, prepare, reach } = withoutConnection()
  return {
    path,
    async prepare (page) {
      await page.clock.install()
      await prepare!(page)
    },
    async reach (page, demo) {
      await reach!(page, demo)
      await caretTo('End', (await editorFrame(page)).locator('[data-paragraph]').first())
      await page.keyboard.type(' unsent')
      const link = '<a href="/" data-onlyoffice-close>Documents</a>'
      await page.locator('main').evaluate((main, link) => (main as unknown as { insertAdjacentHTML (place: string, html: string): void }).insertAdjacentHTML('afterbegin', link), link)
      // It shows for some seconds only.
      await Promise.all([page.getByText('Saving…').waitFor(), page.getByRole('link', { name: 'Documents' }).click()])
      await page.clock.fastForward(10_000)
      await page.getByRole('alert').waitFor()
    }
  }
}

/** Writes into the first paragraph, and waits until the document server has it. */
async function write (editor: Frame, page: Page): Promise<void> {
  await caretTo('End', editor.locator('[data-paragraph]').first())
  await page.keyboard.type(' changed')
  await editor.waitForSelector('[data-state="received"]')
}

/** In this order: later ones need what earlier ones have done. */
export const states: Readonly<Record<string, State>> = {
  list,
  'list on a phone': { ...list, device: PHONE },
  'list with large previews': { ...list, reach: async page => await page.getByRole('button', { name: 'Large previews' }).click() },
  'list switched to dark': {
    ...list,
    async reach (page) {
      await openPreferences(page)
      await page.getByRole('switch', { name: 'Dark mode' }).click()
      await page.locator('[data-theme="dark"]').first().waitFor()
      await page.keyboard.press('Escape')
    }
  },
  'users and preferences': { ...list, reach: openPreferences },
  'the real editor': { path: () => '/real-editor?user=mira' },
  'failed upload': {
    ...list,
    async reach (page) {
      await page.locator('[data-upload]').setInputFiles({ name: 'damaged.docx', mimeType: '', buffer: Buffer.from('MZ') })
      await page.locator('[data-uploads] .failed').waitFor()
    }
  },
  menu: menu(),
  'dialog for a new document': {
    ...list,
    async reach (page) {
      await page.getByRole('button', { name: 'New', exact: true }).click()
      await page.getByRole('dialog').waitFor()
    }
  },
  'dialog to rename': menu('Rename…'),
  'dialog to rename, with a refused name': {
    ...list,
    async reach (page, demo) {
      await menu('Rename…').reach!(page, demo)
      await page.getByRole('dialog').getByLabel('Name').fill('a/b')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').filter({ hasText: 'A name' }).waitFor()
    }
  },
  'dialog to convert': menu('Convert…'),
  'converting, on a phone': {
    ...menu('Show as PDF'),
    prepare: async page => await page.route('**/pdf', () => {}),
    device: PHONE
  },
  'dialog to delete': menu('Move to bin…'),
  'selected documents': {
    ...list,
    async reach (page) {
      for (const position of [0, 1]) await page.getByRole('checkbox', { name: /^Select / }).nth(position).check()
      await page.getByText('2 selected').waitFor()
    }
  },
  'unknown URL': { path: () => '/nothing' },
  'unknown document': { path: () => '/edit/nothing' },
  doctor: { path: () => '/Controls/Editor/EditorHandler.ashx/doctor' },
  'saves that did not arrive: none': { path: () => '/forgotten?user=mira' },

  'editor of text': inEditor(REPORT, write),
  'editor switched to dark': {
    ...inEditor(REPORT),
    prepare: async page => await page.context().addCookies([{ name: 'theme', value: 'dark', domain: '127.0.0.1', path: '/' }])
  },
  'editor with a menu': inEditor(REPORT, async editor => await editor.getByRole('button', { name: 'File' }).click()),
  'editor on a phone': { ...inEditor(REPORT), device: PHONE },
  'editor with its history': inEditor(REPORT, async editor => {
    await choose(editor, 'Version history')
    await editor.getByRole('list', { name: 'Versions' }).waitFor()
  }),
  versions: { path: async demo => `/documents/${await demo.idOf(REPORT)}/versions?user=mira` },
  'editor of a workbook': inEditor('Budget.xlsx'),
  'editor of a presentation': inEditor('From bakery to library.pptx'),
  'editor of a PDF': inEditor('Opening week.pdf'),
  'editor of plain text': inEditor('Meeting notes.txt'),
  'editor of csv': inEditor('Book orders.csv'),
  'reading text': reading(REPORT),
  'reading a workbook': reading('Budget.xlsx'),
  'editor: dialog to rename': editorDialog(REPORT, 'Rename…'),
  'editor: dialog to save a copy': editorDialog(REPORT, 'Save copy as…'),
  'editor: choosing an image': inEditor(REPORT, async (editor, page) => {
    await choose(editor, 'Image…')
    await page.getByRole('dialog').waitFor()
  }),
  'editor: who has access': {
    ...inEditor(REPORT, async (editor, page) => {
      await choose(editor, 'Sharing')
      await page.getByRole('dialog', { name: 'Who has access' }).waitFor()
    }),
    async prepare (page) {
      const sharingSettings = Array.from({ length: 30 }, (_, index) => ({ user: `Person ${index + 1}`, permissions: 'Read Only', isLink: index === 29 }))
      await page.route('**/actions/sharing', async route => await route.fulfill({ json: { sharingSettings, url: '/rights' } }))
    }
  },
  'editor without a connection': withoutConnection(),
  'closing without a connection': closingWithoutConnection(),
  'editor with an invalid token': {
    path: async demo => `/edit/${await demo.idOf(REPORT)}?user=mira`,
    async prepare (page) {
      await page.route('**/edit/*', async route => {
        const response = await route.fetch()
        await route.fulfill({ response, body: (await response.text()).replace(/(?<="token":")[^"]*/, 'broken') })
      })
    },
    reach: async page => await page.getByRole('alert').waitFor()
  },
  'editor that cannot be reached': {
    path: async demo => `/edit/${await demo.idOf(REPORT)}?user=mira`,
    prepare: async page => await page.route('**/api.js', async route => await route.abort()),
    reach: async page => await page.getByRole('alert').waitFor()
  },
  'status page of the document server': {
    path: async demo => new URL(/data-api="([^"]+)/.exec(await (await fetch(`${demo.url}/edit/${await demo.idOf(REPORT)}`)).text())![1]!).origin,
    async reach (page, demo) {
      const other = await page.context().newPage()
      await other.goto(`${demo.url}/edit/${await demo.idOf(REPORT)}?user=mira`)
      await editorFrame(other)
      await page.reload()
      await page.getByRole('cell', { name: 'Mira Sandoval' }).waitFor()
      await other.close()
    }
  },

  'a save that did not arrive': {
    ...inEditor(REPORT),
    async reach (page, demo) {
      const id = await demo.idOf(REPORT)
      await write(await editorFrame(page), page)
      await rm(join(demo.directory, 'uploads', `${id}.docx`))
      const saves = page.getByRole('list', { name: 'Saves' })
      // The document server tries it several times.
      do await page.goto(`${demo.url}/forgotten?user=mira`)
      while (await saves.count() === 0)
    }
  },
  'two users side by side': {
    path: () => '/two?user=mira',
    reach: async page => {
      for (const frame of await page.locator('iframe').all()) await editorIn(frame.contentFrame())
    }
  },
  'causing a failure': { path: () => '/failures?user=mira', reach: async page => await editorIn(page.frameLocator('main iframe')) },
  'a failure, on a phone': {
    path: () => '/failures?user=mira',
    device: PHONE,
    async reach (page) {
      await editorIn(page.frameLocator('main iframe'))
      await page.getByRole('button', { name: 'Document server down' }).click()
      await page.getByText('Not stored yet.').waitFor()
    }
  },
  'the end of a failure': {
    path: () => '/failures?user=mira',
    async reach (page) {
      await page.getByRole('button', { name: 'End: Document server down' }).click()
      await page.locator('strong').getByText('It is over').waitFor()
    }
  },
  'empty list, with deleted documents': {
    ...list,
    async reach (page) {
      const ids = await page.locator('[data-documents] [data-id]').evaluateAll(rows =>
        rows.map(row => (row as unknown as { dataset: { id: string } }).dataset.id)
      )
      await page.evaluate(async ids => {
        await Promise.all(
          ids.map(async id =>
            await fetch(`/documents/${id}`, {
              method: 'DELETE',
              headers: { 'content-type': 'application/json' },
              body: '{}'
            })
          )
        )
      }, ids)
      await page.reload()
      await page.locator('[data-empty="none"]').waitFor()
    }
  }
}
