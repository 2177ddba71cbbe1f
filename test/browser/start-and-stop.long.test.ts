import t from 'tap'
import { editorFrame, startBrowser, textBox } from '../kit/browser.js'
import { startDemo, temporaryDirectory } from '../kit/programs.js'

const browser = await startBrowser(t)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  t.test(`demo: ${signal} saves open documents and ends the process; the next start has the same documents`, { skip: browser.missing }, async t => {
    const directory = await temporaryDirectory(t)
    const demo = await startDemo(t, { directory })
    const { page } = await browser.newPage(t)
    const id = await demo.idOf('Shopping list.md')

    await page.goto(`${demo.url}/edit/${id}`)
    const editor = await editorFrame(page)
    await textBox(editor).fill(`open at the ${signal}`)
    await editor.waitForSelector('[data-state="received"]')
    const { code, output, log } = await demo.stop(signal)
    t.equal(code, 0)
    t.match(output, /^[^\n]*http:\/\/127\.0\.0\.1:\d+\n$/, 'one line with the URL is all it prints')
    t.equal(log, '', 'no reason for a warning')

    const again = await startDemo(t, { directory })
    t.equal(await again.idOf('Shopping list.md'), id)
    t.equal(Buffer.from(await again.download('Shopping list.md')).toString(), `open at the ${signal}`)
  })
}
