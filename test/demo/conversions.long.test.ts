import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { startBrowser } from '../kit/browser.js'
import { SECRET } from '../kit/document-server.js'
import { listen } from '../kit/http.js'
import { startDemo, temporaryDirectory } from '../kit/programs.js'

const browser = await startBrowser(t)
const NAME = 'Shopping list.md'
const RESULT = '/cache/files/data/x/output.pdf/output.pdf'

/** A demo whose document server gives each request for a conversion or its result to `next`, which answers it. */
async function startSlow (t: Test) {
  const requests: Array<(request: { url: string, response: ServerResponse }) => void> = []
  const server = createServer((request, response) => {
    const { url = '' } = request
    if (/convert/i.test(url) || url.startsWith(RESULT)) requests.shift()?.({ url, response })
    else response.writeHead(404).end()
  })
  const { port } = await listen(t, server)
  const origin = `http://127.0.0.1:${port}`
  const directory = await temporaryDirectory(t)
  const demo = await startDemo(t, {
    directory,
    env: { EDITOR_API_URL: `${origin}/web-apps/apps/api/documents/api.js`, JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'http://127.0.0.1:1' }
  })
  const { page, problems } = await browser.newPage(t)
  await page.goto(demo.url)
  return {
    demo,
    origin,
    page,
    problems,
    next: () => new Promise<{ url: string, response: ServerResponse }>(resolve => requests.push(resolve)),
    stored: async () => (await readdir(join(directory, 'uploads'))).sort(),
    async choose (item: string) {
      await page.getByRole('button', { name: `More for ${NAME}` }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
  }
}

t.test('demo: a conversion shows that it is under way; Cancel ends it at the document server, and leaves nothing behind', { skip: browser.missing }, async t => {
  const { demo, origin, page, problems, next, stored, choose } = await startSlow(t)
  const dialog = page.getByRole('dialog')
  const before = await stored()
  const listed = await page.getByRole('row').count()

  const asked = next()
  await choose('Convert…')
  await dialog.getByRole('button', { name: 'Add to the documents' }).click()
  const { response } = await asked
  const closed = once(response, 'close')
  await dialog.getByRole('progressbar').waitFor()
  await dialog.getByRole('status').getByText('Converting…').waitFor()
  t.ok(await dialog.getByRole('button', { name: 'Download' }).isDisabled())
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await closed
  await dialog.waitFor({ state: 'hidden' })

  // Also while the result is being stored.
  const converted = next()
  await choose('Convert…')
  await dialog.getByRole('button', { name: 'Add to the documents' }).click()
  const fetched = next()
  ;(await converted).response.setHeader('content-type', 'application/json')
    .end(JSON.stringify({ endConvert: true, fileType: 'pdf', fileUrl: `${origin}${RESULT}`, percent: 100 }))
  const { response: result } = await fetched
  result.writeHead(200, { 'content-type': 'application/pdf', 'content-length': 100_000 }).write(`%PDF-1.7\n${'x'.repeat(50_000)}`)
  const ended = once(result, 'close')
  await dialog.getByRole('progressbar').waitFor()
  await page.keyboard.press('Escape')
  await ended
  while ((await stored()).join() !== before.join()); // each round reads the directory
  t.equal(await page.getByRole('row').count(), listed)
  t.strictSame(problems, [])
  t.equal((await demo.stop()).log, '', 'it is no error for the application')
})
