import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createDocumentServer } from 'onlyoffice-emulator'
import t from 'tap'
import { editorFrame, startBrowser } from '../helpers/browser.js'
import { deferred } from '../helpers/deferred.js'
import { startExample, temporaryDirectory } from '../helpers/example.js'
import { SECRET } from '../helpers/host.js'
import { plainEnvironment, root, run } from '../helpers/packed.js'

const page = join(root, 'examples/react/page')
const browser = await startBrowser(t)
// Its packages are not those of the repository: without them, only CI fetches them.
const missing = process.env.CI !== 'true' && !existsSync(join(page, 'node_modules')) && 'This machine has no node_modules in examples/react/page: npm ci'
if (!existsSync(join(page, 'node_modules')) && !missing) await run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: page, env: plainEnvironment })

// The development build renders twice in StrictMode, and runs effects twice.
for (const mode of ['production', 'development']) {
  t.test(`example react: what is typed right before leaving the page is saved (${mode} build)`, { skip: browser.missing || missing }, async t => {
    const built = await temporaryDirectory(t)
    await run('npx', ['vite', 'build', '--outDir', built], { cwd: page, env: { ...plainEnvironment, NODE_ENV: mode } })
    const documentServer = await createDocumentServer({ jwtSecret: SECRET, libreOffice: false })
    t.teardown(() => documentServer.close())
    const example = await startExample(t, 'react/server.js', { env: { EDITOR_API_URL: documentServer.editorApiUrl, JWT_SECRET: SECRET, PAGE_DIRECTORY: built } })
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
    await editor.locator('[data-paragraph]').first().press('End')
    isDown = true
    await tab.keyboard.type('typed just now')
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
