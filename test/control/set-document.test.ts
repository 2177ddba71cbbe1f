import { readdir } from 'node:fs/promises'
import { Readable } from 'node:stream'
import t from 'tap'
import { fileStorage } from '../../lib/index.js'
import { startHost } from '../kit/host.js'

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
    const { fileId } = await host.app.editorControl().uploadDocument(content, 'Sheet.XLSX')
    fileIds.add(fileId)
    t.equal(await host.storedText(fileId), 'content')
    t.equal((await host.storage.stat(fileId))!.fileType, 'xlsx')
  }
  t.equal(fileIds.size, contents.length)
  t.strictSame((await readdir(directory)).filter(name => !name.startsWith('.')).sort(), [...fileIds].map(id => `${id}.xlsx`).sort())
})

t.test('a name without a valid extension is refused and nothing is stored', async t => {
  const directory = t.testdir({})
  const host = await startHost(t, { storage: fileStorage({ directory }) })
  for (const name of ['', ' ', 'Report', 'Report.', '.docx', 'a.do cx', 'a.doc/x', 'a.docx/', 'a.ü', 'a.' + 'x'.repeat(17), '../x/.docx', 'a.docx\0']) {
    const control = host.app.editorControl()
    await t.rejects(control.uploadDocument(Buffer.from('content'), name), { code: 'FST_EDITOR_INVALID_NAME', statusCode: 400 }, JSON.stringify(name))
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
  await t.rejects(control.uploadDocument(failing(), 'a.docx'), { message: 'the upload broke' })
  t.equal(control.hasDocument, false)
  t.strictSame((await readdir(directory)).filter(name => name.endsWith('.docx')), [])
})

t.test('a title may contain any characters; it never becomes part of the file name', async t => {
  const directory = t.testdir({})
  const host = await startHost(t, { storage: fileStorage({ directory }) })
  for (const name of [
    '../../etc/x.docx', 'a"b\'c.docx', 'a\r\nSet-Cookie: x.docx', '\u202excod.docx', '😀.docx',
    `${'ü'.repeat(5000)}.docx`, 'CON.docx', 'a.tar.docx'
  ]) {
    const control = host.app.editorControl()
    const { fileId } = await control.uploadDocument(Buffer.from('content'), name)
    t.match(fileId, /^[\w-]+$/)
    t.equal(control.config!.document.title, name)
    t.equal(JSON.parse(control.configJson).document.title, name)
    t.equal((await host.downloadAsDocumentServer(fileId)).status, 200)
  }
})
