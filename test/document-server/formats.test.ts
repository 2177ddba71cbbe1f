import t from 'tap'
import type { DocumentFormat } from '../../lib/index.js'
import { extensions } from '../kit/document-server.js'
import { startHost } from '../kit/host.js'
import { jumpingTime } from '../kit/time.js'
import { startService } from '../kit/sessions.js'

const MINUTE_MS = 60_000
const named = (formats: readonly DocumentFormat[], fileType: string) => formats.find(format => format.fileType === fileType)

t.test('the formats are those of the document server', async t => {
  const { app: { editorServer }, documentServer } = await startService(t)
  const list = await (await fetch(`${documentServer.url}/meta/formats`)).json() as ReadonlyArray<
    { name: string, type: string, actions: string[], convert: string[], mime: string[] }
  >
  const formats = await editorServer.formats()
  t.strictSame(
    formats.map(({ fileType, documentType = '', actions, convertsTo }) => ({
      name: fileType,
      type: documentType,
      actions,
      convert: convertsTo
    })),
    list.map(({ mime, ...entry }) => entry)
  )
  t.equal(named(formats, 'docx')!.mediaType, list.find(({ name }) => name === 'docx')!.mime[0])
  t.notOk('documentType' in named(formats, 'png')!, 'a format that only conversions produce is opened by no editor')
})

t.test('the document server is asked once an hour', async t => {
  const jump = jumpingTime(t)
  const { app: { editorServer }, documentServer } = await startService(t)
  const asked = () => documentServer.receivedRequests.filter(({ url }) => url === '/meta/formats').length
  const formats = await editorServer.formats()
  jump(59 * MINUTE_MS)
  t.equal(await editorServer.formats(), formats)
  t.equal(asked(), 1)
  jump(2 * MINUTE_MS)
  t.strictSame(await editorServer.formats(), formats)
  t.equal(asked(), 2)
})

t.test('without a usable answer the built-in list is given, and a minute later the document server is asked again', async t => {
  const jump = jumpingTime(t)
  const { app: { editorServer }, documentServer } = await startService(t, { timeouts: { headers: 1000, idle: 1000 } })
  const body = (text: string) => ({ type: 'answer', status: 200, body: text }) as const
  for (const fault of [
    { type: 'answer', status: 404, body: 'Not Found' },
    { type: 'answer', status: 503, body: 'busy' },
    { type: 'html' },
    { type: 'stall' },
    { type: 'reset', afterBytes: 3 },
    body('[]'), body('{}'), body('[null, 1, {"name":1}, {"name":"../x"}]'), body('[{"name":"docx"')
  ] as const) {
    documentServer.fault('formats', fault)
    const formats = await editorServer.formats()
    t.equal(formats.length, extensions.length, JSON.stringify(fault))
    t.equal(await editorServer.formats(), formats, 'remembered')
    jump(MINUTE_MS)
    t.ok(named(await editorServer.formats(), 'png'), 'the list of the document server')
    jump(60 * MINUTE_MS)
  }
})

t.test('entries and fields of a newer or broken list that cannot be used are left out', async t => {
  const { app: { editorServer }, documentServer } = await startService(t)
  documentServer.fault('formats', {
    type: 'answer',
    status: 200,
    body: JSON.stringify([
      null,
      { type: 'word' },
      { name: 'ABC', type: 'hologram', actions: ['view', 7, 'rotate'], convert: 'pdf', mime: [7, 'a/b\r\nc: d'] },
      { name: 'docx', mime: ['bad', 'a/b'] }
    ])
  })
  t.strictSame(await editorServer.formats(), [
    { fileType: 'abc', actions: ['view', 'rotate'], convertsTo: [], mediaType: 'application/octet-stream' },
    { fileType: 'docx', actions: [], convertsTo: [], mediaType: 'a/b' }
  ])
})

t.test('the built-in list has every format that the editor opens, and what can be done with it', async t => {
  const { app: { editorServer } } = await startHost(t)
  const formats = await editorServer.formats()
  t.strictSame(formats.map(({ fileType, documentType }) => [fileType, documentType]).sort(), extensions.map(([...pair]) => pair).sort())
  const can = (action: string) => formats.filter(({ actions }) => actions.includes(action)).map(({ fileType }) => fileType)
  t.equal(can('view').length, formats.length)
  t.strictSame(can('edit').sort(), [
    'docm', 'docx', 'dotm', 'dotx', 'pdf', 'potm', 'potx', 'ppsm', 'ppsx', 'pptm', 'pptx', 'xlsb', 'xlsm', 'xlsx',
    'xltm', 'xltx'
  ])
  t.strictSame(can('fill'), ['pdf'])
  for (const { fileType, convertsTo } of formats) {
    t.ok(convertsTo.includes('png') && (fileType === 'pdf' || convertsTo.includes('pdf')), fileType)
    t.notOk(convertsTo.includes(fileType), fileType)
  }
  t.strictSame(named(formats, 'djvu')!.convertsTo, ['pdf', 'pdfa', 'bmp', 'gif', 'jpg', 'png'])
  t.match(named(formats, 'odt'), {
    actions: ['view', 'lossy-edit', 'auto-convert', 'review', 'comment', 'encrypt'],
    mediaType: 'application/vnd.oasis.opendocument.text'
  })
})
