import t, { type Test } from 'tap'
import type { Page, Request } from 'playwright-core'
import { editorFrame, startBrowser } from '../kit/browser.js'
import { startDemo } from '../kit/programs.js'
import { profiles } from '../kit/editing.js'

const NAME = 'Opening week.docx'
const HEADER = 'x-editor-proxy-token'
const TOKEN = /^\d+\.[\w-]{43}$/
const browser = await startBrowser(t)

/** The demo's page with an editor, under its strict content security policy. */
async function openPage (t: Test, profile: typeof profiles[number]) {
  const demo = await startDemo(t, { env: { PROFILE: profile } })
  const { page, problems } = await browser.newPage(t)
  const isProxied = (url: string) => url.startsWith(`${demo.url}/Controls/Editor/EditorHandler.ashx?action=proxy`)
  await page.goto(demo.url)
  await page.getByRole('link', { name: NAME, exact: true }).click()
  await editorFrame(page)
  const button = page.getByRole('button', { name: 'Download current version', disabled: false })
  await button.waitFor()
  return { demo, page, problems, isProxied, capture: () => button.click() }
}

/** The status of an answer to the page's own script. */
async function statusOf (page: Page, url: string, headers: Record<string, string> = {}): Promise<unknown> {
  return await page.evaluate(`fetch(${JSON.stringify(url)}, { headers: ${JSON.stringify(headers)} }).then(({ status }) => status)`)
}

for (const profile of profiles) {
  t.test(
    `captureDocument() sends the page's token and fileId; without a valid token header secure answers 401 or 403 (${profile})`,
    { skip: browser.missing },
    async t => {
      const { demo, page, problems, isProxied, capture } = await openPage(t, profile)
      const fragment = page.locator('[data-onlyoffice-editor]')
      t.match(await fragment.getAttribute('data-proxy-token'), TOKEN)
      const fileId = await fragment.getAttribute('data-file-id')
      const [request, download] = await Promise.all([
        page.waitForRequest((request: Request) => isProxied(request.url())),
        page.waitForEvent('download'),
        capture()
      ])
      t.equal(download.suggestedFilename(), NAME)
      const token = (await request.allHeaders())[HEADER] // that of the fragment, or one that an action has answered since
      t.match(token, TOKEN)
      t.equal(fileId, await demo.idOf(NAME))
      t.equal(new URL(request.url()).searchParams.get('fileId'), fileId)
      t.notOk(request.url().includes(token!), 'the token is in no address')
      t.strictSame(problems, [])

      const url = request.url()
      const isKept = profile === 'secure'
      t.equal(await statusOf(page, url, { [HEADER]: token! }), 200)
      t.equal(await statusOf(page, url), isKept ? 401 : 200, 'no header')
      t.equal(await statusOf(page, url, { [HEADER]: `${token}x` }), isKept ? 403 : 200, 'a wrong one')
      t.equal(await statusOf(page, url.replace('fileId=', 'fileId=x'), { [HEADER]: token! }), isKept ? 403 : 200, 'of another file')
      const followed = await page.goto(url).catch(() => undefined) // a download is no page
      t.equal(followed?.status(), isKept ? 401 : undefined, 'a link')
    })
}

t.test('captureDocument() fails once the page\'s token has expired, and the error says to reload the page', { skip: browser.missing }, async t => {
  const { page, isProxied, capture } = await openPage(t, 'secure')
  await page.route(url => isProxied(url.href), async route => {
    const { [HEADER]: _, ...headers } = await route.request().allHeaders()
    await route.continue({ headers })
  })
  const [answer] = await Promise.all([page.waitForResponse(response => isProxied(response.url())), capture()])
  t.equal(answer.status(), 401)
  await page.getByText('The proxy token of this page has expired: reload the page').waitFor()
})
