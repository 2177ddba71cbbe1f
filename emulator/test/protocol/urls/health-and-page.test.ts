import { createHash } from 'node:crypto'
import t from 'tap'
import { startDocumentServer } from '../../support.js'

t.test('health check, editor script and editor page exist', async t => {
  const server = await startDocumentServer(t)
  const health = await fetch(`${server.url}/healthcheck`)
  t.equal(health.headers.get('content-type'), 'text/plain; charset=utf-8')
  t.equal(health.headers.get('etag'), 'W/"4-X/5TO4MPCKAyY0ipFgr6/IraRNs"', 'as recorded')
  t.equal(health.headers.get('vary'), 'Origin')
  t.equal(await health.text(), 'true')

  t.equal(server.editorApiUrl, `${server.url}/web-apps/apps/api/documents/api.js`)
  const script = await fetch(server.editorApiUrl)
  t.match(script.headers.get('content-type'), /^(application|text)\/javascript/)
  t.match(await script.text(), /DocsAPI/)

  const page = await fetch(`${server.url}/web-apps/apps/documenteditor/main/index.html`)
  const policy = page.headers.get('content-security-policy')
  t.match(policy, /default-src 'none'; script-src 'self' 'sha256-[^']+'; style-src 'self'; img-src/)
  const html = await page.text()
  t.match(html, 'not ONLYOFFICE Docs')
  t.notMatch(html, /<script(?! type="importmap"|[^>]*src=)|<style|style=|onclick=/, 'nothing inline but the import map')
  const [, importMap] = /<script type="importmap">([^<]*)/.exec(html)!
  t.match(policy, createHash('sha256').update(importMap!).digest('base64'))
  for (const url of Object.values<string>(JSON.parse(importMap!).imports)) {
    const module = await fetch(new URL(url, page.url))
    t.equal(module.status, 200, url)
    t.match(module.headers.get('content-type'), url.endsWith('.css') ? /css/ : /javascript/)
  }
})

t.test('an unknown path, and another method at a known one, answer 404 as HTML', async t => {
  const server = await startDocumentServer(t)
  for (const [method, path] of [['POST', '/healthcheck'], ['GET', '/nowhere'], ['POST', '/nowhere'], ['DELETE', '/command']] as const) {
    const response = await fetch(`${server.url}${path}?a=<b>`, { method, headers: { 'content-type': 'application/json' } })
    t.equal(response.status, 404, `${method} ${path}`)
    t.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
    t.match(await response.text(), `<pre>Cannot ${method} ${path}</pre>`)
  }
})
