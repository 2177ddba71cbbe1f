import { writeFile } from 'node:fs/promises'
import t from 'tap'
import { fileStorage, memoryStorage } from '../../lib/index.js'
import { signed, startHost } from '../kit/host.js'
import { asDocumentServer, startUpstream } from '../kit/http.js'
import { deferred } from '../kit/time.js'

const fileIds = [
  'plain', 'with blank', 'a&b=c', 'a#b', 'a+b', '100%', '%41', '%', 'é', 'e\u0301', '文書', '😀👩‍👩‍👧',
  'it\'s (a) file!', '~tilde~', 'a;b,c', 'a=b&fileId=plain', 'a.b'
]

t.test('every fileId in a generated document.url reaches the stored file through the plugin\'s own route', async t => {
  const directory = t.testdir(Object.fromEntries(fileIds.map(fileId => [`${fileId}.txt`, `content of ${fileId}`])))
  for (const profile of ['secure', 'classic'] as const) {
    const host = await startHost(t, { profile, storage: fileStorage({ directory }) })
    for (const fileId of fileIds) {
      const { documentUrl } = await host.app.editorControl().openDocument(fileId)
      t.match(documentUrl, /^[!-~]+$/, 'an ASCII URL')
      t.equal(new URL(documentUrl).searchParams.get('fileId'), fileId)
      const response = await fetch(documentUrl, { headers: { authorization: `Bearer ${signed({ payload: { url: documentUrl } })}` } })
      t.equal(response.status, 200, `${profile}: ${fileId}`)
      t.equal(await response.text(), `content of ${fileId}`)
    }
  }
})

t.test('every fileId in a generated editorConfig.callbackUrl reaches the stored file through the plugin\'s own route', async t => {
  const directory = t.testdir(Object.fromEntries(fileIds.map(fileId => [`${fileId}.txt`, 'old'])))
  const documentServer = await startUpstream(t, (request, response) => response.end(`new ${request.url}`))
  for (const profile of ['secure', 'classic'] as const) {
    const host = await startHost(t, { profile, storage: fileStorage({ directory }), documentServerOrigin: documentServer.origin })
    for (const [index, fileId] of fileIds.entries()) {
      const { callbackUrl, documentKey } = await host.app.editorControl().openDocument(fileId)
      t.match(callbackUrl, /^[!-~]+$/, 'an ASCII URL')
      const payload = asDocumentServer({ key: documentKey, status: 2, url: `${documentServer.origin}/${profile}/${index}` }, [documentServer.origin])
      const response = await fetch(callbackUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...payload, token: signed(payload) })
      })
      t.equal(await response.text(), '{"error":0}', `${profile}: ${fileId}`)
      t.equal(await host.storedText(fileId), `new /${profile}/${index}`)
    }
  }
})

t.test('opening a document that is not stored rejects and leaves the control unchanged', async t => {
  const host = await startHost(t)
  const control = host.app.editorControl()
  const { fileId } = await control.uploadDocument(Buffer.from('content'), 'a.docx')
  const before = control.configJson
  for (const unknown of ['unknown', '', '../x', `${fileId}.docx`, 'x'.repeat(10_000)]) {
    await t.rejects(control.openDocument(unknown), { code: 'FST_EDITOR_FILE_NOT_FOUND', statusCode: 404 })
  }
  t.equal(control.configJson, before)
  await t.rejects(control.openDocument('report'), { message: /^No stored file has the fileId "report"$/ })
  await t.rejects(control.openDocument('report.docx'), { message: /^No stored file has the fileId "report.docx": a fileId has no extension$/ })
})

t.test('a fileId that is too long or odd for files is named as such', async t => {
  const { app } = await startHost(t, { storage: fileStorage({ directory: t.testdir() }) })
  const control = app.editorControl()
  for (const [odd, reason] of [['é'.repeat(101), 'it is longer than 200 bytes'], ...['con', '.a', 'a.', 'a/b', 'a:b', 'a\n', ''].map(odd => [odd, 'it is not a valid file name on every operating system'] as const)] as const) {
    await t.rejects(control.openDocument(odd), { message: `No stored file has the fileId ${JSON.stringify(odd)}: ${reason}` })
  }
})

t.test('a file that has no extension is named as such', async t => {
  const directory = t.testdir({ report: 'text', folder: {}, 'other.docx': 'text' })
  const { app } = await startHost(t, { storage: fileStorage({ directory }) })
  const control = app.editorControl()
  await t.rejects(control.openDocument('report'), { code: 'FST_EDITOR_FILE_NOT_FOUND', statusCode: 404, message: 'No stored file has the fileId "report": the file with this name has no extension' })
  await t.rejects(control.createDocument({ from: 'report' }), { message: /the file with this name has no extension$/ })
  for (const absent of ['folder', 'absent']) await t.rejects(control.openDocument(absent), { message: `No stored file has the fileId "${absent}"` })
})

t.test('the title is the given name, by default the fileId with the stored extension', async t => {
  const host = await startHost(t)
  const { fileId } = await host.storage.create('docx', Buffer.from('content'))
  const control = host.app.editorControl()
  t.equal(await control.openDocument(fileId), control, 'resolves to itself')
  t.equal(control.config!.document.title, `${fileId}.docx`)
  await control.openDocument(fileId, { title: 'Annual report' })
  t.equal(control.config!.document.title, 'Annual report')
  t.equal(control.config!.document.fileType, 'docx', 'the type is that of the stored bytes')
  await control.openDocument(fileId, { title: 'Misleading.xlsx' })
  t.equal(control.config!.document.fileType, 'docx')
  t.equal(control.config!.documentType, 'word')
})

t.test('document keys: the same content has the same key, other content or another file has another key', async t => {
  const directory = t.testdir({ 'a.docx': 'same', 'b.docx': 'same', 'ü 😀.docx': 'same' })
  const host = await startHost(t, { storage: fileStorage({ directory }) })
  const keyOf = async (fileId: string) => (await host.app.editorControl().openDocument(fileId)).documentKey
  const key = await keyOf('a')
  t.equal(await keyOf('a'), key)
  for (const fileId of ['a', 'b', 'ü 😀']) t.match(await keyOf(fileId), /^[0-9A-Za-z._=-]{1,128}$/)
  t.equal(new Set([key, await keyOf('b'), await keyOf('ü 😀')]).size, 3)

  await host.storage.replace('a', Buffer.from('changed'))
  const changed = await keyOf('a')
  t.not(changed, key)
  await writeFile(`${directory}/a.docx`, 'changed from outside')
  t.not(await keyOf('a'), changed)
})

t.test('document keys: two services of one document server never share a key; two instances of one service do', async t => {
  const directory = t.testdir({ 'a.docx': 'content' })
  const keyAt = async (publicBaseUrl: string) => {
    const host = await startHost(t, { publicBaseUrl, storage: fileStorage({ directory }) })
    return (await host.app.editorControl().openDocument('a')).documentKey
  }
  const key = await keyAt('https://one.example')
  t.equal(await keyAt('https://one.example/'), key)
  t.not(await keyAt('https://two.example'), key)
})

t.test('a control that opens a document refuses to open another meanwhile, and nobody gets the other one\'s', async t => {
  const memory = memoryStorage()
  let gate: Promise<void> = Promise.resolve()
  const held = <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) => async (...args: Args) => {
    await gate
    return await call(...args)
  }
  const storage = { ...memory, create: held(memory.create), snapshot: held(memory.snapshot) }
  const host = await startHost(t, { storage })
  const fileIds = await Promise.all(['a', 'b'].map(async text => (await host.storage.create('txt', Buffer.from(text))).fileId))
  const [first, second] = fileIds as [string, string]
  const control = host.app.editorControl()
  const calls: ReadonlyArray<() => Promise<unknown>> = [
    async () => await control.openDocument(first),
    async () => await control.uploadDocument(Buffer.from('c'), 'c.txt'),
    async () => await control.createDocument('docx'),
    async () => await control.createDocument({ from: first })
  ]
  for (const call of calls) {
    const { promise, resolve } = deferred()
    gate = promise
    const running = call()
    for (const other of [async () => await control.openDocument(second), ...calls]) {
      await t.rejects(other(), { code: 'FST_EDITOR_CONTROL_BUSY', statusCode: 500 })
    }
    resolve()
    await running
    t.notMatch(control.config, { document: { key: (await host.app.editorControl().openDocument(second)).documentKey } })
  }
  await t.rejects(control.openDocument('missing'), { code: 'FST_EDITOR_FILE_NOT_FOUND' })
  await control.openDocument(second)
  t.equal(new URL(control.documentUrl).searchParams.get('fileId'), second, 'one after another, also after a failure')
})

t.test('a forgotten await is told, instead of a page without an editor', async t => {
  const host = await startHost(t)
  const stored = host.app.editorControl()
  const { fileId } = await stored.uploadDocument(Buffer.from('content'), 'a.docx')
  const early = host.app.editorControl()
  const opening = early.openDocument(fileId)
  t.throws(() => early.render(), { code: 'FST_EDITOR_NO_DOCUMENT', message: /await openDocument\(\)/ })
  await opening
  t.match(early.render(), fileId)

  const control = host.app.editorControl()
  const creating = control.createDocument('docx')
  t.throws(() => control.config, { code: 'FST_EDITOR_NO_DOCUMENT' })
  t.throws(() => control.configJson, { code: 'FST_EDITOR_NO_DOCUMENT' })
  t.equal(control.hasDocument, false)
  await creating
  t.ok(control.config)
  const again = control.openDocument(fileId)
  t.ok(control.config, 'the document that is open meanwhile')
  await again

  const empty = host.app.editorControl()
  await t.rejects(empty.openDocument('a.docx'), { code: 'FST_EDITOR_FILE_NOT_FOUND' })
  t.equal(empty.config, null, 'nothing is being opened any more')
})
