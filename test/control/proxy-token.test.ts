import t, { type Test } from 'tap'
import { type Host, startHost } from '../kit/host.js'
import { startUpstream } from '../kit/http.js'

/** The attributes of the fragment, as a browser reads them. */
function dataOf (fragment: string): Record<string, string> {
  const [, attributes = ''] = /^<div([^>]*)>/.exec(fragment) ?? []
  return Object.fromEntries(
    [...attributes.matchAll(/ data-([\w-]+)="([^"]*)"/g)].map((
      [, name, value]
    ) => [name, value!.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))])
  )
}

async function start (t: Test): Promise<Host & { statusWith (fileId: string, token: string): Promise<number> }> {
  const upstream = await startUpstream(t, (_request, response) => response.end('through'))
  const host = await startHost(t, { documentServerOrigin: upstream.origin })
  return {
    ...host,
    statusWith: async (fileId, token) =>
      (await fetch(host.handler({ action: 'proxy', fileId, url: `${upstream.origin}/cache/files/x` }), {
        headers: { 'x-editor-proxy-token': token }
      })).status
  }
}

t.test('proxyToken is issued for the open document\'s fileId, and the fragment has both as attributes', async t => {
  const { app, storage, statusWith } = await start(t)
  const { fileId } = await storage.create('docx', Buffer.from('x'))
  const opened = await app.editorControl().openDocument(fileId)
  t.match(opened.proxyToken, /^\d{10,}\.[\w-]{43}$/)
  t.equal(await statusWith(fileId, opened.proxyToken), 200)
  for (const other of ['', `${fileId}x`]) t.equal(await statusWith(other, opened.proxyToken), 403, other)

  const data = dataOf(opened.render())
  t.strictSame(Object.keys(data), ['api', 'handler', 'file-id', 'proxy-token', 'page-token', 'renew-after', 'actions', 'messages'])
  t.equal(data['file-id'], fileId)
  t.equal(await statusWith(fileId, data['proxy-token']!), 200)

  const stored = app.editorControl()
  const { fileId: second } = await stored.uploadDocument(Buffer.from('y'), 'b.docx')
  t.equal(await statusWith(second, stored.proxyToken), 200, 'of new bytes, too')
  await stored.openDocument(fileId)
  t.equal(await statusWith(fileId, stored.proxyToken), 200, 'and of the document opened next')
  t.equal(await statusWith(second, stored.proxyToken), 403)
})
