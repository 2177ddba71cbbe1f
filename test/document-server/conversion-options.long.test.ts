import t, { type Test } from 'tap'
import { extractText, getDocumentProxy } from 'unpdf'
import type { ConversionOptions, ConversionRequest } from '../../lib/index.js'
import { claimsOf } from '../kit/document-server.js'
import { OLD, startService } from '../kit/sessions.js'

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

t.test('the order of properties and undefined ones make no difference to the key', async t => {
  const { convert } = await startConverting(t)
  const { fields: { key } } = await convert({
    region: 'de-DE',
    thumbnail: { first: true, width: 10 },
    watermark: { align: 1, paragraphs: [{ runs: [{ text: 'a', bold: true }] }] }
  })
  const { fields } = await convert(
    {
      watermark: { paragraphs: [{ runs: [{ bold: true, text: 'a' }] }], align: 1 },
      password: undefined,
      thumbnail: { height: undefined, width: 10, first: true },
      region: 'de-DE'
    } as unknown as Partial<RequestByUrl>
  )
  t.equal(fields.key, key)
  t.notOk('password' in fields)
  t.strictSame(fields, { ...fields, thumbnail: { width: 10, first: true } })
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

t.test('the result is what the document server made of the document', async t => {
  const { convert } = await startConverting(t)
  const { result } = await convert()
  t.equal(result.fileType, 'pdf')
  t.equal(result.mediaType, 'application/pdf')
  const pdf = await result.bytes()
  t.equal(pdf.length, result.size)
  t.equal((await extractText(await getDocumentProxy(Uint8Array.from(pdf)), { mergePages: true })).text.trim(), OLD)
  const { result: text } = await convert({ outputType: 'txt' })
  t.strictSame([text.fileType, text.mediaType, String(await text.bytes())], ['txt', 'text/plain; charset=utf-8', OLD])
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
    ['options', 'url'],
    ['url', { ...valid, url: undefined }],
    ['url', { ...valid, url: '/relative' }],
    ['url', { ...valid, url: 'file:///etc/passwd' }],
    ['fileType', { ...valid, fileType: undefined }],
    ['fileType', { ...valid, fileType: '.docx' }],
    ['outputType', { ...valid, outputType: '' }],
    ['outputType', { ...valid, outputType: ['pdf'] }],
    ['outputtype', { ...valid, outputtype: 'pdf' }],
    ['async', { ...valid, async: true }],
    ['key', { ...valid, key: '' }],
    ['title', { ...valid, title: 1 }],
    ['password', { ...valid, password: '' }],
    ['password', { ...valid, password: 'x'.repeat(256) }],
    ['region', { ...valid, region: 'english' }],
    ['codePage', { ...valid, codePage: 1234 }],
    ['codePage', { ...valid, codePage: '1251' }],
    ['delimiter', { ...valid, delimiter: 6 }],
    ['delimiter', { ...valid, delimiter: ',' }],
    ['thumbnail', { ...valid, thumbnail: '{}' }],
    ['thumbnail', { ...valid, thumbnail: null }],
    ['thumbnail.aspect', { ...valid, thumbnail: { aspect: 3 } }],
    ['thumbnail.first', { ...valid, thumbnail: { first: 1 } }],
    ['thumbnail.width', { ...valid, thumbnail: { width: 0 } }],
    ['thumbnail.height', { ...valid, thumbnail: { height: 1.5 } }],
    ['thumbnail.size', { ...valid, thumbnail: { size: 1 } }],
    ['spreadsheetLayout.orientation', { ...valid, spreadsheetLayout: { orientation: 'upright' } }],
    ['spreadsheetLayout.fitToWidth', { ...valid, spreadsheetLayout: { fitToWidth: -1 } }],
    ['spreadsheetLayout.fitToHeight', { ...valid, spreadsheetLayout: { fitToHeight: NaN } }],
    ['spreadsheetLayout.scale', { ...valid, spreadsheetLayout: { scale: 0 } }],
    ['spreadsheetLayout.ignorePrintArea', { ...valid, spreadsheetLayout: { ignorePrintArea: 'yes' } }],
    ['spreadsheetLayout.headings', { ...valid, spreadsheetLayout: { headings: 0 } }],
    ['spreadsheetLayout.gridLines', { ...valid, spreadsheetLayout: { gridLines: 0 } }],
    ['spreadsheetLayout.pageSize.width', { ...valid, spreadsheetLayout: { pageSize: { width: 210 } } }],
    ['spreadsheetLayout.margins.left', { ...valid, spreadsheetLayout: { margins: { left: 'wide' } } }],
    ['documentLayout.isPrint', { ...valid, documentLayout: { isPrint: 'yes' } }],
    ['documentLayout.drawPlaceHolders', { ...valid, documentLayout: { drawPlaceHolders: 1 } }],
    ['documentLayout.drawFormHighlight', { ...valid, documentLayout: { drawFormHighlight: 1 } }],
    ['documentRenderer.textAssociation', { ...valid, documentRenderer: { textAssociation: 'lines' } }],
    ['pdf.form', { ...valid, pdf: { form: 'yes' } }],
    ['pdf.pdfa', { ...valid, pdf: { pdfa: 1 } }],
    ['watermark.transparent', { ...valid, watermark: { transparent: 2 } }],
    ['watermark.type', { ...valid, watermark: { type: 'a b' } }],
    ['watermark.width', { ...valid, watermark: { width: -1 } }],
    ['watermark.height', { ...valid, watermark: { height: Infinity } }],
    ['watermark.rotate', { ...valid, watermark: { rotate: '45' } }],
    ['watermark.margins', { ...valid, watermark: { margins: [1, 2, 3] } }],
    ['watermark.fill', { ...valid, watermark: { fill: [256, 0, 0] } }],
    ['watermark.fill', { ...valid, watermark: { fill: 'data:text/html;base64,PGI+' } }],
    ['watermark.stroke', { ...valid, watermark: { stroke: [1, 2] } }],
    ['watermark.strokeWidth', { ...valid, watermark: { strokeWidth: -1 } }],
    ['watermark.stroke-width', { ...valid, watermark: { 'stroke-width': 1 } }],
    ['watermark.align', { ...valid, watermark: { align: 2 } }],
    ['watermark.paragraphs', { ...valid, watermark: { paragraphs: {} } }],
    ['watermark.paragraphs[1]', { ...valid, watermark: { paragraphs: [{}, 'text'] } }],
    ['watermark.paragraphs[0].align', { ...valid, watermark: { paragraphs: [{ align: 4 }] } }],
    ['watermark.paragraphs[0].lineSpacing', { ...valid, watermark: { paragraphs: [{ lineSpacing: -1 }] } }],
    ['watermark.paragraphs[0].runs[1].fontSize', { ...valid, watermark: { paragraphs: [{ runs: [{ text: 'a' }, { text: 'b', fontSize: 0 }] }] } }],
    ['watermark.paragraphs[0].runs[0].bold', { ...valid, watermark: { paragraphs: [{ runs: [{ text: 'a', bold: 'yes' }] }] } }]
  ]
  for (const [field, request] of table) {
    const error = await editorServer.convert(request as ConversionRequest).catch(error => error)
    t.match(error, { code: 'FST_EDITOR_INVALID_OPTION' }, field)
    t.ok(String(error.message).startsWith(`Option ${field} `), error.message)
  }
  for (
    const [field, invalid] of [
      ['timeout', { timeout: 0 }],
      ['interval', { interval: -1 }],
      ['onProgress', { onProgress: true }],
      ['signal', { signal: {} }],
      ['delayMs', { delayMs: 1 }]
    ] as const
  ) {
    await t.rejects(editorServer.convert(valid, invalid as object), {
      code: 'FST_EDITOR_INVALID_OPTION',
      message: new RegExp(`^Option ${field} `)
    })
  }
  t.strictSame(documentServer.receivedRequests, [])
})
