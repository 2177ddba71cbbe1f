import { once } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { HANDLER, startHost } from '../helpers/host.js'

const NOT_FOUND = 'not found by the application'

/** Asks for a path as it stands: fetch() would resolve the dots. */
async function start (t: Test) {
  const { origin } = await startHost(t, { prepare: app => { app.setNotFoundHandler(async (_request, reply) => await reply.code(404).send(NOT_FOUND)) } })
  const { hostname: host, port } = new URL(origin)
  return async (path: string, headers: http.OutgoingHttpHeaders = {}) => {
    const request = http.request({ host, port, path: `${HANDLER}/assets${path}`, headers, agent: false }).end()
    const [response] = await once(request, 'response') as [http.IncomingMessage]
    return { status: response.statusCode, headers: response.headers, body: await text(response) }
  }
}

t.test('no other files than the modules of the page can be read', async t => {
  const ask = await start(t)
  t.match(await ask('/editor.js'), { status: 200, headers: { 'content-type': /^application\/javascript/ }, body: /mount/ })
  for (const path of ['/../index.js', '/..%2findex.js', '/%2e%2e%2findex.js', '/..%5cindex.js']) t.match(await ask(path), { status: 403 }, path)
  for (const path of ['', '/', '/..', '/editor.js/', '/editor.js%3f', '/editor.js%23', '/%252e%252e%252findex.js', '/%25', '/%2fetc/passwd', '/.taprc', '/index.html']) {
    const { status, body } = await ask(path)
    t.ok(status === 403 || (status === 404 && body === NOT_FOUND), `${path} ${status}`)
  }
  for (const path of ['/%00', '/editor.js%00']) t.match(await ask(path), { status: 400 }, path)
})

t.test('a module has validators and ranges', async t => {
  const ask = await start(t)
  const { headers: { etag }, body } = await ask('/editor.js')
  t.match(await ask('/editor.js', { 'if-none-match': etag }), { status: 304, body: '' })
  t.match(await ask('/editor.js', { range: 'bytes=1-9' }), { status: 206, body: body.slice(1, 10), headers: { 'content-range': `bytes 1-9/${body.length}` } })
  t.match(await ask('/editor.js', { range: `bytes=${body.length}-` }), { status: 416 })
  t.match(await ask('/editor.js', { 'if-match': '"another"' }), { status: 412 })
})
