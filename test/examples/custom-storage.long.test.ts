import { join } from 'node:path'
import t from 'tap'
import { caretTo, editorFrame, startBrowser } from '../kit/browser.js'
import { plainEnvironment, root, run, startExample, temporaryDirectory } from '../kit/programs.js'

const browser = await startBrowser(t)

t.test('example custom-storage: its driver passes the conformance suite', async t => {
  const { stdout } = await run(process.execPath, [
    '--test', '--test-reporter=tap', join(root, 'examples/custom-storage/sqlite-driver.test.js')
  ], { cwd: root, env: plainEnvironment })
  t.match(stdout, /^# fail 0$/m)
  t.ok(Number(/^# pass (\d+)$/m.exec(stdout)?.[1]) > 15, 'every test ran')
})

t.test('example custom-storage: what is typed is still there when it has been started again', { skip: browser.missing }, async t => {
  const directory = await temporaryDirectory(t)
  const { page, problems } = await browser.newPage(t)
  const first = await startExample(t, 'custom-storage/server.js', { directory })
  await page.goto(first.url)
  const editor = await editorFrame(page)
  await caretTo('End', editor.locator('[data-paragraph]').first())
  await page.keyboard.type('kept in SQLite')
  await editor.waitForSelector('[data-state="received"]')
  t.match(await first.stop(), { code: 0, log: '' })

  const second = await startExample(t, 'custom-storage/server.js', { directory })
  await page.goto('about:blank')
  problems.length = 0 // of the page that had lost its server: it tries to connect again and again
  await page.goto(second.url)
  t.equal(await (await editorFrame(page)).locator('[data-paragraph]').first().innerText(), 'kept in SQLite')
  t.strictSame(problems, [])
})
