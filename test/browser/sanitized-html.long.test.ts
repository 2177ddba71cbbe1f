import t from 'tap'
import { startBrowser } from '../kit/browser.js'
import { HANDLER, startHost } from '../kit/host.js'
import { startUpstream } from '../kit/http.js'

const browser = await startBrowser(t)

t.test(
  'HTML of a user that passed a sanitizer mounts no editor and loads no script',
  { skip: browser.missing },
  async t => {
    const evil = await startUpstream(t, (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/javascript' }).end('document.title = "taken over"'))
    // Sanitizers leave attributes that begin with data-, and no script element.
    const attributes = `data-onlyoffice-editor data-api="${evil.origin}/evil.js" data-handler="/x"`
    const html = `<!DOCTYPE html><title>Comments</title><link rel="icon" href="data:,">
<div ${attributes}><p>{}</p><div id="a"></div></div>
<div ${attributes}><p ${attributes} type="application/json">{"document":{}}</p><div id="b"></div></div>
<script type="module" src="${HANDLER}/assets/editor.js"></script>
<script type="module" src="/done.js"></script>`
    const host = await startHost(t, {
      prepare (app) {
        app.get('/comments', async (_request, reply) => reply.type('text/html').send(html))
        app.get('/done.js', async (_request, reply) => reply.type('text/javascript').send(`import { mountEditor } from '${HANDLER}/assets/editor.js'
const results = await Promise.all(Array.from(document.querySelectorAll('[data-onlyoffice-editor]'), element => mountEditor(element)))
document.title += results.every(result => result === null) ? ', none mounted' : ', mounted'`))
      }
    })
    const { page, problems } = await browser.newPage(t)
    await page.goto(`${host.origin}/comments`)
    await page.waitForFunction(() => (globalThis as unknown as { document: { title: string } }).document.title.includes('mounted'))
    t.equal(await page.title(), 'Comments, none mounted')
    t.strictSame(evil.requests, [])
    t.strictSame(problems, [])
  })
