import { strFromU8, strToU8, unzipSync, zipSync, type Zippable } from 'fflate'
import t from 'tap'
import { blankDocument, checkDocument } from '../../lib/index.js'
import { startHost } from '../kit/host.js'

const OFFICE = '[Content_Types].xml'
/** Template, its document, the parts that name the format, and how. */
const TEMPLATES = [
  ['dotx', 'docx', 'document.main', 'template.main', OFFICE],
  ['xltx', 'xlsx', 'sheet.main', 'template.main', OFFICE],
  ['potx', 'pptx', 'presentation.main', 'template.main', OFFICE],
  ['ott', 'odt', 'opendocument.text', 'opendocument.text-template', 'mimetype', 'META-INF/manifest.xml'],
  ['ots', 'ods', 'opendocument.spreadsheet', 'opendocument.spreadsheet-template', 'mimetype', 'META-INF/manifest.xml'],
  ['otp', 'odp', 'opendocument.presentation', 'opendocument.presentation-template', 'mimetype', 'META-INF/manifest.xml']
] as const

/** A document whose parts are changed. */
function packageOf (format: string, change: (parts: Record<string, Uint8Array>) => void): Buffer {
  const parts = unzipSync(blankDocument(format))
  change(parts)
  const { mimetype, ...others } = parts as Zippable
  return Buffer.from(zipSync(mimetype ? { mimetype: [mimetype as Uint8Array, { level: 0 }], ...others } : others))
}

function templateOf ([, document, from, to, ...named]: typeof TEMPLATES[number]): Buffer {
  return packageOf(document, parts => {
    for (const name of named) parts[name] = strToU8(strFromU8(parts[name]!).replaceAll(from, to))
  })
}

t.test('a document made from a template of each format is a document: only the parts that name its format differ', async t => {
  const host = await startHost(t)
  for (const template of TEMPLATES) {
    const [extension, format, ,, ...named] = template
    const content = templateOf(template)
    const { fileId: stored } = await host.storage.create(extension, content)
    for (const from of [stored, { content, title: `Offer.${extension}` }]) {
      const control = host.app.editorControl()
      const { fileId } = await control.createDocument({ from })
      t.equal(control.config!.document.title, typeof from === 'string' ? `Untitled.${format}` : `Offer.${format}`)
      const { info, body } = (await host.storage.read(fileId))!
      const made = Buffer.concat(await body.toArray())
      t.equal(info.fileType, format)
      t.equal(await checkDocument(made, `made.${format}`), made)
      const [before, after] = [unzipSync(content), unzipSync(made)]
      t.strictSame(Object.keys(after), Object.keys(before), 'the same parts, in the same order')
      const changed = Object.keys(after).filter(name => !Buffer.from(after[name]!).equals(before[name]!))
      t.strictSame(changed.sort(), [...named].sort())
      const original = unzipSync(blankDocument(format))
      for (const name of named) t.equal(strFromU8(after[name]!), strFromU8(original[name]!), name)
      if (named.length > 1) t.equal(made.toString('latin1', 30, 38), 'mimetype', 'first, so that its type can be read')
      t.notOk(/mimetypeapplication\/vnd.oasis.opendocument.\w+-template/.test(made.toString('latin1')))
    }
    t.ok((await host.storage.stat(stored))?.fileType === extension, 'the template stays')
  }
})

t.test('a copy of any other document has the same bytes, and its own fileId', async t => {
  const host = await startHost(t)
  const control = host.app.editorControl()
  for (const extension of ['docx', 'pdf', 'csv', 'docm']) {
    const content = Buffer.from(`content of ${extension}`)
    const { fileId } = await host.storage.create(extension, content)
    const { fileId: copy } = await control.createDocument({ from: fileId, title: 'Copy' })
    t.not(copy, fileId)
    t.equal(control.documentName, `Copy.${extension}`)
    t.equal(await host.storedText(copy), content.toString())
  }
})

t.test('what cannot be copied is refused with a code, and nothing is stored', async t => {
  const host = await startHost(t)
  const dotx = templateOf(TEMPLATES[0])
  const twice = packageOf('docx', parts => { parts['_Content_Types_.xml'] = parts[OFFICE]! })
  const duplicate = Buffer.from(twice.toString('latin1').replaceAll('_Content_Types_.xml', OFFICE), 'latin1')
  const refused: Array<[from: unknown, code: string]> = [
    ...['', 'unknown', '../x', '/etc/passwd', '..\\x', 'a\0b', 'x'.repeat(10_000)].map(from =>
      [from, 'FST_EDITOR_FILE_NOT_FOUND'] as [string, string]),
    ...[undefined, 5, {}, { content: dotx }, { content: 'text', title: 'a.dotx' }, Promise.resolve('x')].map(from =>
      [from, 'FST_EDITOR_INVALID_OPTION'] as [unknown, string]),
    ...['dotm', 'xltm', 'potm', 'dot', 'xlt', 'pot', 'vstx'].map(extension =>
      [{ content: dotx, title: `a.${extension}` }, 'FST_EDITOR_INVALID_OPTION'] as [unknown, string]),
    [{ content: dotx, title: 'a' }, 'FST_EDITOR_INVALID_NAME'],
    [{ content: dotx, title: 'a.exe' }, 'FST_EDITOR_UNKNOWN_FORMAT'],
    [{ content: Buffer.alloc(0), title: 'a.dotx' }, 'FST_EDITOR_EMPTY_DOCUMENT'],
    [{ content: dotx, title: 'a.xltx' }, 'FST_EDITOR_WRONG_FORMAT'],
    [{ content: dotx, title: 'a.ott' }, 'FST_EDITOR_WRONG_FORMAT'],
    [{ content: Buffer.from('<html>'), title: 'a.dotx' }, 'FST_EDITOR_WRONG_FORMAT'],
    [{ content: Buffer.from('d0cf11e0a1b11ae1'.padEnd(4000, '0'), 'hex'), title: 'a.dotx' }, 'FST_EDITOR_DAMAGED_DOCUMENT'],
    [{ content: dotx.subarray(0, -100), title: 'a.dotx' }, 'FST_EDITOR_DAMAGED_DOCUMENT'],
    [{ content: Buffer.concat([dotx.subarray(0, 300), Buffer.alloc(200), dotx.subarray(500)]), title: 'a.dotx' }, 'FST_EDITOR_DAMAGED_DOCUMENT'],
    [{ content: packageOf('docx', parts => { parts[OFFICE] = strToU8(strFromU8(parts[OFFICE]!).replace('document.main', 'macroEnabledTemplate.main')) }), title: 'a.dotx' }, 'FST_EDITOR_WRONG_FORMAT'],
    [{ content: packageOf('docx', parts => { parts[OFFICE] = strToU8(`${strFromU8(parts[OFFICE]!)}<!-- application/vnd.ms-office.vbaProject -->`) }), title: 'a.dotx' }, 'FST_EDITOR_WRONG_FORMAT'],
    [{ content: packageOf('docx', parts => { parts[OFFICE] = new Uint8Array(8 * 1024 ** 2) }), title: 'bomb.dotx' }, 'FST_EDITOR_DAMAGED_DOCUMENT'],
    [{ content: duplicate, title: 'a.dotx' }, 'FST_EDITOR_DAMAGED_DOCUMENT'],
    [{ content: new Blob([new Uint8Array(65 * 1024 ** 2)]), title: 'large.dotx' }, 'FST_EDITOR_TOO_LARGE']
  ]
  for (const [from, code] of refused) {
    await t.rejects(host.app.editorControl().createDocument({ from } as never), { code }, String((from as { title?: string })?.title ?? from).slice(0, 50))
  }
  await t.rejects(host.app.editorControl().createDocument(null as never), { code: 'FST_EDITOR_INVALID_OPTION' })
})
