import t from 'tap'
import { HANDLER, startHost, startPageHost } from '../kit/host.js'
import { startUpstream } from '../kit/http.js'

/** A document server that has a list of formats, or none. */
async function startServer (t: Parameters<typeof startUpstream>[0], formats?: object[]) {
  let requests = 0
  const { origin } = await startUpstream(t, (_request, response) => {
    requests++
    if (formats) response.setHeader('content-type', 'application/json').end(JSON.stringify(formats))
    else response.writeHead(404).end()
  })
  return { origin, requests: () => requests }
}

t.test('a format that no editor opens is refused, with a typed error and before anything is stored', async t => {
  const { origin, requests } = await startServer(t)
  const { app, storage } = await startHost(t, { documentServerOrigin: origin })
  const control = app.editorControl()
  for (const extension of ['zip', 'jpg', 'png', 'ofd', 'nothing']) {
    const { fileId } = await storage.create(extension, Buffer.from('x'))
    const refusal = { code: 'FST_EDITOR_UNKNOWN_FORMAT', statusCode: 415, retryable: false, message: `The editor cannot open .${extension} files` }
    await t.rejects(control.openDocument(fileId), refusal, extension)
    await t.rejects(control.openDocument(fileId, { title: 'Report.docx' }), refusal, 'the stored format counts')
    await t.rejects(control.uploadDocument(Buffer.from('x'), `Report.${extension}`), refusal)
    t.equal(control.hasDocument, false)
  }
  t.equal(requests(), 1, 'asked once')
  for (const extension of ['docx', 'csv', 'odp', 'pdf', 'vsdx', 'docxf', 'oform']) {
    const { fileId } = await storage.create(extension, Buffer.from('x'))
    t.equal((await control.openDocument(fileId)).config!.document.fileType, extension)
  }
  t.equal(requests(), 1, 'not for these')
})

t.test('what the document server itself lists for viewing opens, also if it is newer than the built-in list', async t => {
  const { origin } = await startServer(t, [
    { name: 'ofd', type: 'pdf', actions: ['view'], convert: ['pdf'] },
    { name: 'png', type: '', actions: [], convert: [] }
  ])
  const { app, storage } = await startHost(t, { documentServerOrigin: origin })
  const control = app.editorControl()
  const { fileId } = await storage.create('ofd', Buffer.from('x'))
  t.match((await control.openDocument(fileId)).config, { document: { fileType: 'ofd' } })
  const picture = await storage.create('png', Buffer.from('x'))
  await t.rejects(control.openDocument(picture.fileId), { code: 'FST_EDITOR_UNKNOWN_FORMAT' })
})

t.test('saveAs leaves what no editor opens to the page, which downloads it: nothing is fetched or stored, and the hook is not called', async t => {
  const paths: string[] = []
  const { origin } = await startUpstream(t, ({ url = '' }, response) => {
    paths.push(url)
    response.writeHead(404).end()
  })
  const calls: unknown[] = []
  for (const saveAs of [true, (action: object) => { calls.push(action) }] as const) {
    const host = await startPageHost(t, { documentServerOrigin: origin, actions: { saveAs } })
    const { status, body } = await host.ask('saveAs', { url: `${origin}/cache/files/data/x/output.zip?md5=a`, title: 'Report.docx', fileType: 'zip' })
    t.match({ status, body }, { status: 200, body: { title: 'Report.docx.zip', isDownload: true } })
    t.notOk('fileId' in body)
    for (const url of ['http://169.254.169.254/cache/files/data/x/output.zip', `${origin}${HANDLER}`]) {
      t.equal((await host.ask('saveAs', { url, title: 'x', fileType: 'zip' })).status, 403, 'the same rules')
    }
  }
  t.strictSame([calls, paths.filter(path => path.includes('output'))], [[], []])
})
