import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import t from 'tap'
import { caretTo, editorFrame, startBrowser } from '../kit/browser.js'
import { SECRET, startDocumentServer } from '../kit/document-server.js'
import { plainEnvironment, root, run, startExample, temporaryDirectory } from '../kit/programs.js'
import { deferred } from '../kit/time.js'

const browser = await startBrowser(t)

const builds = [
  { framework: 'react', mode: 'production' },
  { framework: 'react', mode: 'development' }, // renders twice in StrictMode, and runs effects twice
  { framework: 'vue', mode: 'production' }
]

for (const { framework, mode } of builds) {
  const page = join(root, 'examples', framework, 'page')
  t.test(`example ${framework}: what is typed right before leaving the page is saved (${mode} build)`, {
    skip: browser.missing || await withoutPackages(page)
  }, async t => {
    const directory = await temporaryDirectory(t)
    await run('npx', ['vite', 'build', '--outDir', join(directory, 'dist')], { cwd: page, env: { ...plainEnvironment, NODE_ENV: mode } })
    const documentServer = await startDocumentServer(t)
    const example = await startExample(t, 'react/server.js', {
      directory,
      env: { EDITOR_API_URL: documentServer.editorApiUrl, JWT_SECRET: SECRET, PAGE_DIRECTORY: 'dist' }
    })
    const { page: tab, problems } = await browser.newPage(t)
    const network = deferred()
    let isDown = false
    await tab.routeWebSocket(/\/doc\/socket$/, socket => {
      const server = socket.connectToServer()
      socket.onMessage(async message => {
        if (isDown) await network.promise
        server.send(message)
      })
    })

    await tab.goto(example.url)
    await tab.getByRole('button', { name: 'Minutes.docx' }).click()
    const editor = await editorFrame(tab)
    t.equal(await tab.locator('iframe').count(), 1)
    await caretTo('End', editor.locator('[data-paragraph]').first())
    isDown = true
    await tab.keyboard.type('typed just now')
    await tab.getByText('Sending changes…').waitFor() // the page hears the editor's events
    await tab.getByRole('button', { name: 'Back to the documents' }).click()
    t.equal(await tab.locator('iframe').count(), 1, 'the editor stays until everything is sent')
    network.resolve()
    t.match(await documentServer.nextCallback(2), { answer: { status: 200, body: { error: 0 } } })

    await tab.getByRole('button', { name: 'Minutes.docx' }).click()
    t.equal(await (await editorFrame(tab)).locator('[data-paragraph]').first().innerText(), 'typed just now')
    t.strictSame(problems, [])
    t.match(await example.stop(), { code: 0, log: '' })
  })
}

/**
 * The packages of a page are not those of the repository: only CI fetches them. Resolves to the reason if they are
 * missing.
 */
async function withoutPackages (page: string): Promise<string | false> {
  if (existsSync(join(page, 'node_modules'))) return false
  if (process.env.CI !== 'true') return `This machine has no node_modules in ${relative(root, page)}: npm ci`
  await run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: page })
  return false
}
