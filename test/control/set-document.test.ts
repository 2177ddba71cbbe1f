import { readdir } from 'node:fs/promises'
import { Readable } from 'node:stream'
import t from 'tap'
import { fileStorage } from '../../lib/index.js'
import { HANDLER, startHost } from '../kit/host.js'

t.test('a document set from bytes is stored under a new fileId, and its callback URL has exactly the documented form', async t => {
  for (const publicBaseUrl of ['https://app.example.com', 'https://app.example.com/', 'https://app.example.com/office', 'http://10.0.0.7:8080/a%20b//']) {
    const host = await startHost(t, { profile: 'classic', publicBaseUrl })
    const control = host.app.editorControl()
    const fileId = await control.setDocumentFromBytes(Buffer.from('content'), 'Report.docx')
    const base = publicBaseUrl.replace(/\/+$/, '')
    t.equal(control.callbackUrl, `${base}/Controls/Editor/EditorHandler.ashx?action=callback&fileId=${encodeURIComponent(fileId)}`)
    t.equal(control.documentUrl, `${base}/Controls/Editor/EditorHandler.ashx?action=download&fileId=${encodeURIComponent(fileId)}`)
    t.equal(control.documentName, 'Report.docx')
    t.match(control.documentKey, /^[0-9A-Za-z._=-]{1,128}$/)
    t.equal(control.hasDocument, true)
    t.equal(await host.storedText(fileId), 'content')
    t.equal(encodeURIComponent(fileId), fileId, 'the new id is URL-safe')
  }
})

t.test('a document set from bytes gets the same URLs with a signature (secure)', async t => {
  const host = await startHost(t)
  const control = host.app.editorControl()
  const fileId = await control.setDocumentFromBytes(Buffer.from('content'), 'Report.docx')
  t.match(control.callbackUrl, /&signature=[\w-]{43}$/)
  t.match(control.documentUrl, /&expires=\d{10}&signature=[\w-]{43}$/)
  t.equal(control.callbackUrl.replace(/&.*/, '&'), `${host.origin}${HANDLER}?action=callback&`)
  for (const url of [control.callbackUrl, control.documentUrl]) t.equal(new URL(url).searchParams.get('fileId'), fileId)
})

t.test('bytes, a stream and an async iterable are stored unchanged, each under a new fileId', async t => {
  const directory = t.testdir({})
  const host = await startHost(t, { storage: fileStorage({ directory }) })
  async function * pieces () {
    yield Buffer.from('con')
    yield Buffer.from('tent')
  }
  const contents = [Buffer.from('content'), new Uint8Array(Buffer.from('content')), Readable.from([Buffer.from('con'), Buffer.from('tent')]), pieces()]
  const fileIds = new Set<string>()
  for (const content of contents) {
    const fileId = await host.app.editorControl().setDocumentFromBytes(content, 'Sheet.XLSX')
    fileIds.add(fileId)
    t.equal(await host.storedText(fileId), 'content')
    t.equal((await host.storage.stat(fileId))!.extension, 'xlsx')
  }
  t.equal(fileIds.size, contents.length)
  t.strictSame((await readdir(directory)).filter(name => !name.startsWith('.')).sort(), [...fileIds].map(id => `${id}.xlsx`).sort())
})

t.test('a name without a valid extension is refused and nothing is stored', async t => {
  const directory = t.testdir({})
  const host = await startHost(t, { storage: fileStorage({ directory }) })
  for (const name of ['', ' ', 'Report', 'Report.', '.docx', 'a.do cx', 'a.doc/x', 'a.docx/', 'a.ü', 'a.' + 'x'.repeat(17), '../x/.docx', 'a.docx\0']) {
    const control = host.app.editorControl()
    await t.rejects(control.setDocumentFromBytes(Buffer.from('content'), name), { code: 'FST_EDITOR_INVALID_NAME', statusCode: 400 }, JSON.stringify(name))
    t.equal(control.hasDocument, false)
  }
  t.strictSame((await readdir(directory)).filter(name => !name.startsWith('.')), [])
})

t.test('a stream that fails leaves neither a document nor a file', async t => {
  const directory = t.testdir({})
  const host = await startHost(t, { storage: fileStorage({ directory }) })
  async function * failing () {
    yield Buffer.from('begun')
    throw new Error('the upload broke')
  }
  const control = host.app.editorControl()
  await t.rejects(control.setDocumentFromBytes(failing(), 'a.docx'), { message: 'the upload broke' })
  t.equal(control.hasDocument, false)
  t.strictSame((await readdir(directory)).filter(name => name.endsWith('.docx')), [])
})

t.test('a title may contain any characters; it never becomes part of the file name', async t => {
  const directory = t.testdir({})
  const host = await startHost(t, { storage: fileStorage({ directory }) })
  for (
    const name of [
      '../../etc/x.docx',
      'a"b\'c.docx',
      'a\r\nSet-Cookie: x.docx',
      '\u202excod.docx',
      '😀.docx',
      `${'ü'.repeat(5000)}.docx`,
      'CON.docx',
      'a.tar.docx'
    ]
  ) {
    const control = host.app.editorControl()
    const fileId = await control.setDocumentFromBytes(Buffer.from('content'), name)
    t.match(fileId, /^[\w-]+$/)
    t.equal(control.config!.document.title, name)
    t.equal(JSON.parse(control.configJson).document.title, name)
    t.equal((await host.downloadAsDocumentServer(fileId)).status, 200)
  }
})

t.test('the file of a document set from bytes can be opened by its fileId', async t => {
  const host = await startHost(t)
  const fileId = await host.app.editorControl().setDocumentFromBytes(Buffer.from('content'), 'a.docx')
  const control = await host.app.editorControl().openDocument(fileId)
  t.equal(control.documentName, `${fileId}.docx`)
  t.equal(new URL(control.documentUrl).pathname, HANDLER)
})
