import t from 'tap'
import { startHost } from '../kit/host.js'
import { extensions } from '../kit/document-server.js'

const HTML = '<!doctype html><script>alert(1)</script>'

/** The registered names of what people open most. */
const known: Record<string, string> = {
  csv: 'text/csv; charset=utf-8',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  epub: 'application/epub+zip',
  html: 'text/html; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  odp: 'application/vnd.oasis.opendocument.presentation',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odt: 'application/vnd.oasis.opendocument.text',
  pdf: 'application/pdf',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  rtf: 'application/rtf',
  txt: 'text/plain; charset=utf-8',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml'
}

t.test('every known format is sent as an attachment with the fixed media type of its extension, whatever its bytes are', async t => {
  const host = await startHost(t)
  for (const [extension] of extensions) {
    const { fileId } = await host.storage.create(extension, Buffer.from(HTML))
    const response = await host.downloadAsDocumentServer(fileId)
    await response.arrayBuffer()
    const { headers } = response
    const type = headers.get('content-type') ?? ''
    if (known[extension]) t.equal(type, known[extension], extension)
    t.match(type, /^[a-z]+\/[a-z0-9.+-]+(; charset=utf-8)?$/, extension)
    t.not(type, 'application/octet-stream', extension)
    t.equal(headers.get('content-disposition'), `attachment; filename=${fileId}.${extension}`)
    t.equal(headers.get('x-content-type-options'), 'nosniff')
    t.equal(headers.get('cross-origin-resource-policy'), 'same-origin')
    t.match(headers.get('content-security-policy'), /^sandbox;/)
  }
})

t.test('unknown formats and SVG are sent as application/octet-stream', async t => {
  const host = await startHost(t)
  for (const extension of ['svg', 'exe', 'bin', 'js', '7z']) {
    const { fileId } = await host.storage.create(extension, Buffer.from('<svg onload="alert(1)"/>'))
    const response = await host.downloadAsDocumentServer(fileId)
    t.equal(response.headers.get('content-type'), 'application/octet-stream', extension)
    t.match(response.headers.get('content-disposition'), /^attachment; /)
    t.equal(response.headers.get('x-content-type-options'), 'nosniff')
    t.match(response.headers.get('content-security-policy'), /^sandbox;/)
  }
})
