import { unzipSync } from 'fflate'
import t from 'tap'
import { openEditable } from '../../../lib/documents/open.js'
import { docOf } from '../../editing/prose.js'
import { textBlocks } from '../../../lib/documents/extract/extract.js'
import { postSigned, startBoth, startDocumentServer, startFakeHost } from '../../support.js'

const mainParts: Record<string, string> = {
  docx: 'word/document.xml',
  xlsx: 'xl/worksheets/sheet1.xml',
  pptx: 'ppt/slides/slide1.xml',
  odt: 'content.xml',
  ods: 'content.xml',
  odp: 'content.xml'
}

for (const [type, mainPart] of Object.entries(mainParts)) {
  t.test(`a ${type} of 0 bytes is replaced by an empty one`, async t => {
    const { host, server } = await startBoth(t)
    host.files.set(`/files/new.${type}`, new Uint8Array())
    const session = await server.open(host.config('K', { name: `new.${type}` }))
    const bytes = await session.content()
    const parts = unzipSync(bytes)
    t.ok(mainPart in parts, mainPart)
    const { DOMParser } = await import('@xmldom/xmldom')
    for (const [name, content] of Object.entries(parts).filter(([name]) => name !== 'mimetype')) {
      t.doesNotThrow(() =>
        new DOMParser({
          onError: (_level, message) => {
            throw new Error(message)
          }
        }).parseFromString(Buffer.from(content).toString(), 'application/xml'), name)
    }
    t.equal((await textBlocks(type, bytes))!.map(({ text }) => text).join(''), '', 'without text')
    t.match(await session.close(), { status: 4 })
  })
}

t.test('the empty OpenDocument file begins with its uncompressed mimetype', async t => {
  const { host, server } = await startBoth(t)
  host.files.set('/files/new.odt', new Uint8Array())
  const bytes = await (await server.open(host.config('K', { name: 'new.odt' }))).content()
  t.equal(bytes.subarray(30, 77).toString(), 'mimetypeapplication/vnd.oasis.opendocument.text')
})

t.test('a text of 0 bytes is an empty text', async t => {
  const { host, server } = await startBoth(t)
  host.files.set('/files/new.txt', new Uint8Array())
  const session = await server.open(host.config('K', { name: 'new.txt' }))
  t.equal((await session.content()).length, 0)
  await session.edit('first words')
  t.match(await session.close(), { status: 2 })
})

t.test('the empty docx is edited and saved', async t => {
  const { host, server } = await startBoth(t)
  host.files.set('/files/new.docx', new Uint8Array())
  const session = await server.open(host.config('K', { name: 'new.docx' }))
  await session.edit('first words')
  await session.close()
  const saved = new Uint8Array(await (await fetch(String(host.callbacks(2)[0]!.url))).arrayBuffer())
  t.equal(docOf(openEditable('docx', saved)).textContent, 'first words')
})

t.test('a source of 0 bytes is converted as an empty document', async t => {
  const host = await startFakeHost(t)
  const { url } = await startDocumentServer(t)
  host.files.set('/files/new.docx', new Uint8Array())
  const request = { async: false, filetype: 'docx', key: 'C', outputtype: 'pdf', title: 'new.docx', url: `${host.origin}/files/new.docx` }
  t.match(await (await postSigned(`${url}/converter`, request)).json(), { fileType: 'pdf', endConvert: true })
})
