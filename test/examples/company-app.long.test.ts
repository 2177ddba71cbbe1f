import t from 'tap'
import { caretTo, editorFrame, startBrowser } from '../kit/browser.js'
import { SECRET, startDocumentServer } from '../kit/document-server.js'
import { configOf, startExample } from '../kit/programs.js'

const browser = await startBrowser(t)
t.setTimeout(60_000)
const documentServer = await startDocumentServer(t)
const env = { EDITOR_API_URL: documentServer.editorApiUrl, JWT_SECRET: SECRET, CORS_ORIGIN: 'https://intranet.example', PER_MINUTE: '60' }
const { url, stop } = await startExample(t, 'company-app/server.js', { env })

/** Headers of a user who has logged in. */
async function loggedIn (user: string) {
  const response = await fetch(`${url}/login/${user}`, { method: 'POST', redirect: 'manual' })
  return { cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' }
}

async function documentsOf (headers: Record<string, string>) {
  const list = await (await fetch(`${url}/api/documents`, { headers })).json() as Array<{ fileId: string, name: string }>
  return new Map(list.map(({ fileId, name }) => [name, fileId]))
}

t.test(
  'example company-app: the strict Content-Security-Policy lets Ada edit and rename; the document server needs no login',
  { skip: browser.missing },
  async t => {
    const { page, problems } = await browser.newPage(t)
    await page.goto(url)
    t.equal(new URL(page.url()).pathname, '/login')
    await page.getByRole('button', { name: 'Ada Lovelace' }).click()
    await page.getByRole('link', { name: 'Plan.docx' }).click()
    const editor = await editorFrame(page)
    await caretTo('End', editor.locator('[data-paragraph]').first())
    await page.keyboard.type('written by Ada')
    await editor.waitForSelector('[data-state="received"]')
    const renamed = await page.evaluate(`(async () => {
    const { dataset } = document.querySelector('[data-onlyoffice-editor]')
    const rename = () => fetch(dataset.handler + '/actions/rename', { method: 'POST', headers: { 'content-type': 'application/json', 'x-editor-page-token': dataset.pageToken }, body: '{"name":"The plan"}' })
    const first = await rename()
    await fetch('/logout', { method: 'POST', redirect: 'manual' })
    return [first.status, (await rename()).status]
  })()`)
    t.strictSame(renamed, [200, 401], 'no longer once she has logged out')
    t.strictSame(problems.filter(problem => !problem.includes('401')), [])
    await page.close()
    t.match(await documentServer.nextCallback(2), { answer: { status: 200, body: { error: 0 } } })
  })

t.test('example company-app: Grace reads what is shared and sees nothing of the rest; without a login there is nothing at all', async t => {
  const [ada, grace] = [await loggedIn('ada'), await loggedIn('grace')]
  const all = await documentsOf(ada)
  t.strictSame([...all.keys()].sort().at(0), 'Diary.docx')
  const [shared] = [...await documentsOf(grace)]
  t.equal((await documentsOf(grace)).size, 1)

  const session = await documentServer.open(await configOf(`${url}/documents/${shared![1]}`, { headers: grace }))
  t.ok(session.viewOnly)
  await session.close()
  t.equal((await fetch(`${url}/documents/${all.get('Diary.docx')}`, { headers: grace })).status, 404)
  t.equal((await fetch(`${url}/documents/${all.get('Diary.docx')}`)).status, 401)
  t.equal((await fetch(`${url}/api/documents`, { headers: { cookie: `${grace.cookie.split('.')[0]}.forged` } })).status, 401)
})

t.test('example company-app: CORS for the API only, a description of the plugin\'s routes, a status, a limit that leaves out the document server', async t => {
  const ada = await loggedIn('ada')
  const origin = env.CORS_ORIGIN
  const allowed = async (path: string) => (await fetch(url + path, { headers: { ...ada, origin } })).headers.get('access-control-allow-origin')
  t.equal(await allowed('/api/documents'), origin)
  t.equal(await allowed('/'), null)
  t.ok('/editor' in (await (await fetch(`${url}/openapi.json`, { headers: ada })).json() as { paths: object }).paths)
  t.equal((await fetch(`${url}/status`)).status, 200)

  const [plan] = await documentsOf(ada)
  const config = await configOf(`${url}/documents/${plan![1]}`, { headers: ada })
  const statuses = await Promise.all(Array.from({ length: 60 }, async () => (await fetch(`${url}/login`)).status))
  t.ok(statuses.includes(429))
  const session = await documentServer.open(config)
  await session.edit('beyond the limit')
  t.match(await session.close(), { accepted: true })
  t.match(await stop(), { code: 0, log: '' })
})
