import { readdir } from 'node:fs/promises'
import type http from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { type Demo, startDemo, temporaryDirectory } from '../kit/programs.js'
import { send } from '../kit/http.js'

const REFUSED = 421

/** The answer to a browser that requests this host name. */
async function ask (demo: Demo, path: string, host: string, { headers = {}, body }: { headers?: http.OutgoingHttpHeaders, body?: string } = {}) {
  const { status, headers: { 'content-type': type }, body: text } = await send(demo.url + path, { method: body === undefined ? 'GET' : 'POST', headers: { ...headers, host }, ...(body !== undefined && { body }) })
  return { status, type, body: text }
}

t.test('demo: a request with a foreign Host header is refused, and the answer says how to fix it', async t => {
  const directory = await temporaryDirectory(t)
  const demo = await startDemo(t, { directory })
  const id = await demo.idOf('Shopping list.md')
  const before = await readdir(join(directory, 'uploads'))

  const octets = { 'content-type': 'application/octet-stream' }
  for (const [path, request] of [
    ['/'], [`/edit/${id}`], [`/documents/${id}/download`], [`/documents/${id}/pdf`], ['/public/style.css'], ['/nowhere'], ['/edit/unknown'],
    [`/Controls/Editor/EditorHandler.ashx?action=download&fileId=${id}`],
    ['/documents?name=evil.txt', { headers: octets, body: 'content' }],
    ['/', { headers: { 'x-forwarded-host': 'localhost' } }]
  ] as const) {
    const answer = await ask(demo, path, `evil.example:${new URL(demo.url).port}`, request)
    t.strictSame(answer, {
      status: REFUSED,
      type: 'text/plain; charset=utf-8',
      body: 'Misdirected request: this demo does not answer to evil.example. If this is one of its names, add it to ALLOWED_HOSTS.\n'
    }, path)
  }
  t.strictSame(await readdir(join(directory, 'uploads')), before, 'nothing was stored')
})
