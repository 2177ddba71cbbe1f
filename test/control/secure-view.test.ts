import t from 'tap'
import { ADA, startPageHost } from '../kit/host.js'

const SECURE = { preset: 'secure-view', user: { id: 'ada', name: 'Ada “%user_name%” <b>' } } as const

t.test('secure-view: what the user might do with the document is off, whatever else the control says', async t => {
  const { app, fileId } = await startPageHost(t, { versions: { for: 'readers' }, defaults: { permissions: { print: true } } })
  for (const others of [{}, { mode: 'edit', history: true, permissions: { download: true, copy: true }, customization: { plugins: true, zoom: 50 } }] as const) {
    const control = await app.editorControl({ ...others, ...SECURE }).openDocument(fileId)
    const { document, editorConfig } = control.config!
    t.strictSame(document.permissions, Object.fromEntries(['chat', 'comment', 'copy', 'download', 'edit', 'fillForms', 'print', 'protect', 'review'].map(name => [name, false])))
    t.match(editorConfig, { mode: 'view', customization: { comments: false, macros: false, plugins: false } })
    t.notOk('preset' in editorConfig!)
    const { paragraphs } = (document.options as { watermark_on_draw: { paragraphs: Array<{ runs: Array<{ text: string }> }> } }).watermark_on_draw
    t.match(paragraphs.map(({ runs }) => runs[0]!.text), [SECURE.user.name, /^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/])
    t.notMatch(control.render(), /data-actions="[^"]*history/)
  }
  const own = { text: 'Draft' }
  const control = await app.editorControl({ ...SECURE, document: { options: { watermark_on_draw: own } } as object }).openDocument(fileId)
  t.strictSame(control.config!.document.options, { watermark_on_draw: own }, 'another watermark')
  t.throws(() => app.editorControl({ preset: 'secure' as never }), { code: 'FST_EDITOR_INVALID_OPTION' })
})

t.test('secure-view: the document\'s URL is of no use without a token of the document server', async t => {
  const { app, fileId, downloadAsDocumentServer } = await startPageHost(t)
  const control = await app.editorControl(SECURE).openDocument(fileId)
  const { url } = control.config!.document
  const withoutKey = new URL(url)
  withoutKey.searchParams.delete('key')
  const withVersion = new URL(url)
  withVersion.searchParams.set('version', '1')
  t.equal((await fetch(url)).status, 401)
  t.equal((await fetch(url, { headers: { authorization: `Bearer ${control.config!.token}` } })).status, 401, 'the page\'s own token is none')
  t.equal((await fetch(withoutKey)).status, 403, 'the signature covers it')
  t.equal((await fetch(withVersion)).status, 403)
  t.equal((await fetch(url, { headers: { authorization: `Bearer ${app.editorServer.sign({ url }).token}` } })).status, 401, 'nor is signed data')
  t.equal((await downloadAsDocumentServer(fileId, {}, url)).status, 200, 'the document server downloads it')
  const plain = await app.editorControl().openDocument(fileId)
  t.equal((await fetch(plain.config!.document.url)).status, 200, 'any other control as before')
  t.equal((await downloadAsDocumentServer(fileId)).status, 200)
})

t.test('secure-view: a page saves no copy, sees no history and becomes no editor', async t => {
  const { ask, tokenOf, fileId } = await startPageHost(t, { versions: {}, actions: { saveAs: true, editRights: () => ({ mode: 'edit', permissions: { edit: true, download: true } }), reference: () => ({ fileId, title: 'Linked.docx' }) } })
  const token = await tokenOf({ ...SECURE, user: ADA })
  for (const [action, body] of [['saveAs', { url: 'http://127.0.0.1:9/cache/files/x', fileType: 'docx', title: 'Copy' }], ['history', {}], ['historyData', { version: 1 }], ['restore', { version: 1 }]] as const) {
    t.match(await ask(action, body, { token }), { status: 403, body: { code: 'FST_EDITOR_FORBIDDEN' } }, action)
  }
  for (const purpose of ['edit', 'refresh']) {
    const { status, body, tokens } = await ask('config', { purpose }, { token })
    t.equal(status, 200)
    t.match(body.config, { editorConfig: { mode: 'view' }, document: { permissions: { edit: false, download: false }, options: { watermark_on_draw: {} } } })
    t.strictSame(body.actions, 'reference')
    t.equal((await fetch((body.config as { document: { url: string } }).document.url)).status, 401)
    t.match(await ask('history', {}, { token: tokens.pageToken }), { status: 403 }, 'its next token allows no more')
  }
  const { body: { url } } = await ask('reference', { path: 'Linked.docx' }, { token })
  t.equal((await fetch(url as string)).status, 401, 'nor is the URL of a linked document of any use')
})

t.test('macros and plugins are off in the secure profile, unless the application turns them on', async t => {
  const of = async (options: object, defaults = {}) => {
    const { app, fileId } = await startPageHost(t, options)
    return (await app.editorControl(defaults).openDocument(fileId)).config!.editorConfig!.customization
  }
  t.strictSame(await of({}), { macros: false, plugins: false })
  t.strictSame(await of({ defaults: { customization: { plugins: true, zoom: 50 } } }), { macros: false, plugins: true, zoom: 50 })
  t.strictSame(await of({}, { customization: { macros: true } }), { macros: true, plugins: false })
  t.strictSame(await of({ profile: 'classic' }), undefined)
})
