import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { extractText, getDocumentProxy } from 'unpdf'
import { SECRET, startDocumentServer } from '../kit/document-server.js'
import { configOf, startExample } from '../kit/programs.js'

t.test('example upload-and-convert: an upload is edited and comes back as PDF; what cannot be used is refused in words, and not stored', async t => {
  const documentServer = await startDocumentServer(t)
  const example = await startExample(t, 'upload-and-convert/server.js', { env: { EDITOR_API_URL: documentServer.editorApiUrl, JWT_SECRET: SECRET } })
  const report = await readFile(new URL('../fixtures/documents/report.docx', import.meta.url))

  async function upload (name: string, content: Uint8Array | string, headers = {}) {
    const body = new FormData()
    body.set('file', new Blob([new Uint8Array(Buffer.from(content))]), name)
    const response = await fetch(`${example.url}/documents`, { method: 'POST', body, headers, redirect: 'manual' })
    return { status: response.status, location: response.headers.get('location'), text: await response.text() }
  }
  for (const [name, content, status, words] of [
    ['program.exe', 'MZ', 415, 'Files of this kind'],
    ['report', report, 400, 'must end in its format'],
    ['empty.docx', '', 422, 'is empty'],
    ['text.docx', 'only text', 422, 'not what its name says'],
    ['cut.docx', report.subarray(0, report.length / 2), 422, 'damaged'],
    ['large.txt', 'a'.repeat(10 * 1024 * 1024 + 1), 413, 'too large']
  ] as const) {
    const refused = await upload(name, content)
    t.equal(refused.status, status, name)
    t.match(refused.text, words)
  }
  t.equal((await upload('report.docx', report, { 'sec-fetch-site': 'cross-site' })).status, 403)

  const name = 'Łódź & <b>.docx'
  const { status, location } = await upload(name, report)
  t.equal(status, 303)
  const stored = await readdir(join(example.directory, 'App_Data/upload-and-convert'))
  t.strictSame(stored.filter(name => !name.startsWith('.')), [`${location!.split('/').at(-1)}.docx`], 'nothing is stored of those')
  const config = await configOf(`${example.url}${location}`)
  t.equal(config.document?.title, name)
  const session = await documentServer.open(config)
  await session.edit('written after the upload')
  t.match(await session.close(), { accepted: true })
  t.match(await (await fetch(example.url)).text(), '>Łódź &#38; &#60;b&#62;.docx</a>')

  const pdf = await fetch(`${example.url}${location}/pdf`)
  t.match(pdf.headers.get('content-disposition'), /^attachment; .*filename\*=UTF-8''%C5%81%C3%B3d%C5%BA.*\.pdf/)
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(await pdf.arrayBuffer())), { mergePages: true })
  t.match(text, 'written after the upload')
  t.equal((await fetch(`${example.url}${location}/thumbnail`)).headers.get('content-type'), 'image/png')
  t.equal((await fetch(`${example.url}/documents/unknown`)).status, 404)
  t.match(await example.stop(), { code: 0, log: '' })
})
