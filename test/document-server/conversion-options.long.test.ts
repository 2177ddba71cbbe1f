import t, { type Test } from 'tap'
import type { ConversionOptions, ConversionRequest } from '../../lib/index.js'
import { claimsOf } from '../kit/document-server.js'
import { startService } from '../kit/sessions.js'

type RequestByUrl = Extract<ConversionRequest, { readonly url: string }>

const QUICK = { interval: 10 }

async function startConverting (t: Test) {
  const service = await startService(t)
  const { app: { editorServer }, documentServer, urls, fileId } = service
  const url = urls.download(fileId)
  return {
    ...service,
    url,
    downloads: () => documentServer.sentRequests.filter(({ method }) => method === 'GET').length,
    /** Converts the stored text to PDF, and tells what was sent for it. */
    async convert (options: Partial<RequestByUrl> = {}) {
      const result = await editorServer.convert({ url, fileType: 'txt', outputType: 'pdf', ...options }, QUICK)
      const { url: path, headers, body } = documentServer.receivedRequests.findLast(({ method }) => method === 'POST')!
      const { token, ...fields } = body as { readonly token: string, readonly key: string }
      return { result, path: new URL(path, documentServer.url), headers, token, fields }
    }
  }
}

/** Each option with values of every kind, and how the conversion API spells it if it is not the same. */
const options: ReadonlyArray<readonly [given: Partial<ConversionOptions>, sent?: Record<string, unknown>]> = [
  [{ title: 'Übersicht.txt' }],
  [{ password: 'p"ä' }],
  [{ region: 'de-DE' }],
  [{ region: 'sr-Latn-RS' }],
  [{ codePage: 1251 }],
  [{ delimiter: 0 }],
  [{ delimiter: 5 }],
  [{ thumbnail: { aspect: 0, first: true, width: 300, height: 200 } }],
  [{ thumbnail: { aspect: 1 } }],
  [{ thumbnail: { aspect: 2, first: false } }],
  [{
    spreadsheetLayout: {
      ignorePrintArea: false,
      orientation: 'landscape',
      fitToWidth: 1,
      fitToHeight: 0,
      scale: 50,
      headings: true,
      gridLines: true,
      pageSize: { width: '297mm', height: '210mm' },
      margins: { left: '1mm', right: '2.5mm', top: '3mm', bottom: '4mm' }
    }
  }],
  [{ spreadsheetLayout: { margins: { left: '1mm' } } }],
  [{ documentLayout: { drawPlaceHolders: true, drawFormHighlight: false, isPrint: true } }],
  ...(['blockChar', 'blockLine', 'plainLine', 'plainParagraph'] as const).map(textAssociation => [{ documentRenderer: { textAssociation } }] as const),
  [{ pdf: { form: true } }],
  [{ pdf: { form: false, pdfa: false } }],
  [
    {
      watermark: {
        transparent: 0.3,
        type: 'rect',
        width: 100,
        height: 50.5,
        rotate: -45,
        margins: [1, 2, 3, 4],
        fill: [255, 0, 0],
        stroke: [],
        strokeWidth: 1,
        align: 4,
        paragraphs: [{
          align: 2,
          fill: [],
          lineSpacing: 1,
          runs: [{
            text: 'Draft',
            fill: [0, 0, 0],
            fontFamily: 'Arial',
            fontSize: 40,
            bold: true,
            italic: false,
            underline: false,
            strikeout: true
          }, { text: '<%br%>' }]
        }, {}]
      }
    },
    {
      watermark: {
        transparent: 0.3,
        type: 'rect',
        width: 100,
        height: 50.5,
        rotate: -45,
        margins: [1, 2, 3, 4],
        fill: [255, 0, 0],
        stroke: [],
        'stroke-width': 1,
        align: 4,
        paragraphs: [{
          align: 2,
          fill: [],
          linespacing: 1,
          runs: [{
            text: 'Draft',
            fill: [0, 0, 0],
            'font-family': 'Arial',
            'font-size': 40,
            bold: true,
            italic: false,
            underline: false,
            strikeout: true
          }, { text: '<%br%>' }]
        }, {}]
      }
    }
  ],
  [{ watermark: { fill: 'https://example.com/logo.png' } }],
  [{ watermark: { fill: 'data:image/png;base64,iVBORw0KGgo=' } }]
]

t.test('each option of a conversion is sent as the conversion API spells it, signed in the body and in the header', async t => {
  const { convert, url } = await startConverting(t)
  const keys = new Set<string>()
  for (const [given, sent = given] of [[{}] as const, ...options]) {
    const name = JSON.stringify(given)
    const { result, path, headers, token, fields } = await convert(given)
    const { key, ...rest } = fields
    t.strictSame(rest, { async: true, filetype: 'txt', outputtype: 'pdf', url, ...sent }, name)
    t.strictSame(claimsOf(token), { ...fields, operation: 'converter' }, 'the body token has flat claims')
    t.strictSame(claimsOf(String(headers.authorization).replace('Bearer ', '')), {
      payload: fields,
      operation: 'converter'
    }, 'the header token has them as payload')
    t.equal(path.searchParams.get('shardkey'), key, 'a cluster finds the conversion by its key')
    t.match(key, /^[0-9A-Za-z._=-]{1,128}$/)
    t.notOk(keys.has(key), `no other options have this key: ${name}`)
    keys.add(key)
    t.match(await result.bytes(), /^%PDF-/)
  }
})

t.test('the same request has the same key, and is not converted again', async t => {
  const { convert, downloads } = await startConverting(t)
  for (const [given] of options) {
    const first = await convert(given)
    const before = downloads()
    const second = await convert(given)
    t.equal(second.fields.key, first.fields.key)
    t.equal(downloads(), before)
    for (const { result } of [first, second]) result.body.destroy()
  }
})

t.test('the key depends on the content, the format it is read as, and the output type, whatever their letter case', async t => {
  const { convert, url } = await startConverting(t)
  const keyOf = async (given: Partial<RequestByUrl>) => (await convert(given)).fields.key
  const key = await keyOf({ key: 'report-1' })
  t.not(key, 'report-1', 'the given key stands for the content only')
  t.equal(await keyOf({ key: 'report-1', fileType: 'TXT', outputType: 'PDF' }), key)
  t.equal(await keyOf({ key: 'report-1', url: `${url}#fragment` }), key, 'the content is the same, wherever it is')
  t.not(await keyOf({ key: 'report-2' }), key)
  t.not(await keyOf({ key: 'report-1', fileType: 'csv' }), key)
  t.not(await keyOf({ key: 'report-1', outputType: 'pdfa' }), key)
  t.not(await keyOf({}), key)
  t.equal(await keyOf({}), await keyOf({ key: url }), 'by default the URL stands for the content')
})

t.test('a request that is too large for a header is signed in the body', async t => {
  const { convert } = await startConverting(t)
  const fill = `data:image/png;base64,${Buffer.alloc(100_000, 'image').toString('base64')}`
  const { result, headers, token, fields } = await convert({ watermark: { fill } })
  t.match(await result.bytes(), /^%PDF-/)
  t.notOk(headers.authorization)
  t.match(claimsOf(token), { watermark: { fill }, key: fields.key })
})

t.test('an invalid field rejects, the message names it, and nothing is sent', async t => {
  const { app: { editorServer }, documentServer, url } = await startConverting(t)
  const valid = { url, fileType: 'txt', outputType: 'pdf' }
  const table: ReadonlyArray<readonly [field: string, request: unknown]> = [
    ['options', null],
    ['url', { ...valid, url: undefined }],
    ['url', { ...valid, url: '/relative' }],
    ['url', { ...valid, url: 'file:///etc/passwd' }],
    ['fileType', { ...valid, fileType: undefined }],
    ['outputType', { ...valid, outputType: '' }],
    ['outputtype', { ...valid, outputtype: 'pdf' }],
    ['async', { ...valid, async: true }],
    ['key', { ...valid, key: '' }],
    ['password', { ...valid, password: '' }],
    ['region', { ...valid, region: 'english' }],
    ['codePage', { ...valid, codePage: 1234 }],
    ['delimiter', { ...valid, delimiter: 6 }],
    ['thumbnail', { ...valid, thumbnail: '{}' }],
    ['thumbnail.aspect', { ...valid, thumbnail: { aspect: 3 } }],
    ['thumbnail.width', { ...valid, thumbnail: { width: 0 } }],
    ['thumbnail.size', { ...valid, thumbnail: { size: 1 } }],
    ['spreadsheetLayout', { ...valid, spreadsheetLayout: 'upright' }],
    ['pdf.form', { ...valid, pdf: { form: 'yes' } }],
    ['watermark', { ...valid, watermark: 'Draft' }]
  ]
  for (const [field, request] of table) {
    const error = await editorServer.convert(request as ConversionRequest).catch(error => error)
    t.match(error, { code: 'FST_EDITOR_INVALID_OPTION' }, field)
    t.ok(String(error.message).startsWith(`Option ${field} `), error.message)
  }
  for (const [field, invalid] of [
    ['timeout', { timeout: 0 }],
    ['interval', { interval: -1 }],
    ['onProgress', { onProgress: true }],
    ['signal', { signal: {} }],
    ['delayMs', { delayMs: 1 }]
  ] as const) {
    await t.rejects(editorServer.convert(valid, invalid as object), {
      code: 'FST_EDITOR_INVALID_OPTION',
      message: new RegExp(`^Option ${field} `)
    })
  }
  t.strictSame(documentServer.receivedRequests, [])
})
