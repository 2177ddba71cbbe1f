import t, { type Test } from 'tap'
import type { EditorControl } from '../../lib/index.js'
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

function fill (control: EditorControl, documentUrl: string): EditorControl {
  return Object.assign(control, { documentName: 'a.docx', documentKey: 'k', documentUrl })
}

t.test('proxyToken is issued for the open document\'s fileId, and the fragment has both as attributes', async t => {
  const { app, storage, statusWith } = await start(t)
  const { fileId } = await storage.create('docx', Buffer.from('x'))
  const opened = await app.editorControl().openDocument(fileId)
  t.match(opened.proxyToken, /^\d{10,}\.[\w-]{43}$/)
  t.equal(await statusWith(fileId, opened.proxyToken), 200)
  for (const other of ['', `${fileId}x`]) t.equal(await statusWith(other, opened.proxyToken), 403, other)

  const data = dataOf(opened.render())
  t.strictSame(Object.keys(data), ['api', 'handler', 'file-id', 'proxy-token', 'page-token', 'renew-after', 'actions'])
  t.equal(data['file-id'], fileId)
  t.equal(await statusWith(fileId, data['proxy-token']!), 200)

  const stored = app.editorControl()
  const second = await stored.setDocumentFromBytes(Buffer.from('y'), 'b.docx')
  t.equal(await statusWith(second, stored.proxyToken), 200, 'of new bytes, too')
  await stored.openDocument(fileId)
  t.equal(await statusWith(fileId, stored.proxyToken), 200, 'and of the document opened next')
  t.equal(await statusWith(second, stored.proxyToken), 403)
})

t.test('proxyToken is empty without a document and cannot be set', async t => {
  const { app, statusWith } = await start(t)
  const empty = app.editorControl()
  t.equal(empty.proxyToken, '')
  const { 'file-id': fileId, 'proxy-token': token } = dataOf(empty.render())
  t.strictSame({ fileId, token }, { fileId: '', token: '' })
  t.not(await statusWith('', ''), 200, 'which is not a token')
  t.throws(() => { Object.assign(empty, { proxyToken: 'x' }) }, TypeError)
})

t.test('proxyToken for a document that is not stored here names no file', async t => {
  const { app, storage, statusWith } = await start(t)
  const { fileId } = await storage.create('docx', Buffer.from('x'))
  const foreign = fill(app.editorControl(), 'https://elsewhere.example/a.docx')
  const moved = await app.editorControl().openDocument(fileId)
  moved.documentUrl = 'https://elsewhere.example/a.docx'
  for (const control of [foreign, moved]) {
    const data = dataOf(control.render())
    t.equal(data['file-id'], '')
    for (const token of [control.proxyToken, data['proxy-token']!]) {
      t.equal(await statusWith('', token), 200)
      t.equal(await statusWith(fileId, token), 403)
    }
  }
})

t.test('an unusual fileId cannot break out of its attribute and is read back unchanged', async t => {
  for (
    const id of [
      '"><script>alert(1)</script>',
      '" onload="alert(1)',
      '\' x=\'',
      '&quot;&#34;&amp;',
      '<!-- -->',
      'a\u2028b',
      'ü 😀',
      ' blank ',
      'a=b&c?d#e%41+f',
      '`${x}`', // eslint-disable-line no-template-curly-in-string -- hostile
      'tab\tline\nend'
    ]
  ) {
    const storage = {
      stat: async () => ({ fileId: id, extension: 'docx', size: 1, revision: 'r', modifiedAt: new Date(0) }),
      read: async () => null,
      create: async () => {
        throw new Error('x')
      },
      replace: async () => null
    }
    const upstream = await startUpstream(t, (_request, response) => response.end('through'))
    const host = await startHost(t, { storage, documentServerOrigin: upstream.origin })
    const control = await host.app.editorControl().openDocument(id)
    const fragment = control.render()
    const data = dataOf(fragment)
    t.equal(data['file-id'], id)
    t.equal(fragment.match(/<(?!\/)/g)?.length, 6, 'two div, two link and two script elements, no other')
    t.notMatch(
      /^<div([^>]*)>/.exec(fragment)![1]!.replace(/"[^"]*"/g, ''),
      /[^ \w=-]/,
      'nothing but names outside of the quotes'
    )
    const response = await fetch(
      host.handler({ action: 'proxy', fileId: data['file-id']!, url: `${upstream.origin}/cache/files/x` }),
      { headers: { 'x-editor-proxy-token': data['proxy-token']! } }
    )
    t.equal(response.status, 200, 'and the token is for it')
  }
})
