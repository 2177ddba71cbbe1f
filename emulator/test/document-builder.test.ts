import { readFileSync } from 'node:fs'
import t from 'tap'
import { docOf } from './editing/prose.js'
import { openEditable } from '../lib/documents/open.js'
import { postSigned, startDocumentServer, startFakeHost } from './support.js'

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  /** The saved files by name. */
  async function build (script: string, argument?: object): Promise<Record<string, Buffer> | number> {
    host.files.set('/files/script', Buffer.from(script))
    const answer =
      await (await postSigned(`${server.url}/docbuilder`, { url: `${host.origin}/files/script`, argument })).json() as {
        error?: number,
        urls?: Record<string, string>
      }
    if (answer.error !== undefined) return answer.error
    return Object.fromEntries(
      await Promise.all(
        Object.entries(answer.urls!).map(async ([name, url]) =>
          [name, Buffer.from(await (await fetch(url)).arrayBuffer())] as const
        )
      )
    )
  }
  return { host, server, build }
}

function paragraphsOf (bytes: Buffer): string[] {
  return docOf(openEditable('docx', bytes)).children.map(({ textContent }) => textContent)
}

t.test('paragraphs, cells, several files and other formats are built', async t => {
  const { build } = await start(t)
  const files = await build(`
    // A letter, and a table.
    builder.SetTmpFolder("/tmp");
    builder.CreateFile('docx')
    const doc = Api.GetDocument()
    doc.GetElement(0).AddText("First; \\"quoted\\" // no comment\\u0021")
    let paragraph = Api.CreateParagraph(); /* a comment
      over two lines */
    paragraph.AddText(Argument["greeting"] + ", " + Argument.count + '.');
    paragraph.AddText(" More")
    doc.Push(paragraph)
    builder.SaveFile("docx", "./letters/letter.docx")
    paragraph.AddText(" later")
    builder.SaveFile("txt", "later.txt")
    builder.SaveFile("pdf", "letter.pdf")
    builder.CloseFile()
    builder.CreateFile("xlsx")
    var sheet = Api.GetActiveSheet();
    sheet.GetRange("A1").SetValue("Total"); sheet.GetRange("$B$2").SetValue(4.5)
    builder.SaveFile("xlsx", "table.xlsx"); builder.CloseFile();
    builder.CreateFile("pptx"); builder.SaveFile("pptx", "deck.pptx")
    builder.CreateFile("pdf"); builder.SaveFile("pdf", "empty.pdf")
  `, { greeting: 'Hello', count: 3 }) as Record<string, Buffer>
  t.strictSame(Object.keys(files), ['letter.docx', 'later.txt', 'letter.pdf', 'table.xlsx', 'deck.pptx', 'empty.pdf'])
  t.strictSame(paragraphsOf(files['letter.docx']!), ['First; "quoted" // no comment!', 'Hello, 3. More'])
  t.match(files['later.txt']!.toString(), 'Hello, 3. More later')
  const view = openEditable('xlsx', files['table.xlsx']!).view()
  t.match(view, { kind: 'grid', sheets: [{ cells: { A1: { value: 'Total' }, B2: { value: '4.5' } } }] })
  t.match(openEditable('pptx', files['deck.pptx']!).view(), { kind: 'prose' })
  for (const name of ['letter.pdf', 'empty.pdf']) t.match(files[name]!.toString('latin1'), /^%PDF-/)
})

t.test('the script in the README is built as printed', async t => {
  const { build } = await start(t)
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const [, script = ''] = /```js\n(builder\.CreateFile[^]*?)```/.exec(readme) ?? []
  const files = await build(script, { name: 'Ada' })
  t.match(Object.keys(files), ['letter.pdf', 'total.xlsx'])
})

t.test('a script that needs more than the emulator knows answers -3, and nothing of it is run as code', async t => {
  const { server, build } = await start(t)
  const bad = [
    '',
    'builder.CreateFile("docx")',
    'builder.SaveFile("docx", "a.docx")',
    'builder.CreateFile("exe")',
    'builder.OpenFile("a.docx")',
    'process.exit(1)',
    'globalThis',
    'builder.constructor',
    'builder.CreateFile.constructor("return 1")()',
    'Api.toString()',
    'Argument.__proto__',
    'x = unknown',
    'for (;;) {}',
    'if (true) {}',
    'var x = 5 * 3',
    'Api.GetDocument()',
    'builder.CreateFile("xlsx"); Api.GetDocument()',
    '"open',
    '/* open',
    'a.b = 5',
    'x += "text"',
    'let x = 1, y = 2',
    'let [x] = "text"',
    'x = `text`',
    'x = /text/',
    'x = -1',
    'builder?.CloseFile()',
    'builder.SetTmpFolder(..."text")',
    'builder[Argument.name]()',
    'builder.SetTmpFolder(() => 1)',
    'new builder.CreateFile("docx")',
    'import("node:fs")',
    'builder.CreateFile("docx"); Api.GetDocument().GetElement(7)',
    'builder.CreateFile("docx"); Api.GetDocument().Push("text")',
    'builder.CreateFile("docx"); Api.GetDocument().GetElement(0).SetBold(true)',
    'builder.CreateFile("xlsx"); Api.GetActiveSheet().GetRange("A1:B2")',
    'builder.CreateFile("docx"); builder.SaveFile("docx", "/")',
    'builder.CreateFile("docx"); builder.SaveFile("xlsx", "a.xlsx")',
    'x = '.repeat(50) + '1',
    'builder.CreateFile(' + 'Api.GetDocument('.repeat(30),
    `x = 1${'.a'.repeat(30)}`
  ]
  for (const script of bad) t.equal(await build(script), -3, script.slice(0, 60))
  t.equal((await fetch(`${server.url}/healthcheck`)).status, 200)
})

t.test('a script that would cost much answers -3 at once', async t => {
  const { build } = await start(t)
  t.equal(await build(`x = "0123456789"; ${'x = x + x; '.repeat(1000)}`), -3, 'doubling')
  t.equal(await build('/* '.repeat(300_000)), -3, 'comments that do not end')
  t.equal(await build('('.repeat(900_000)), -3, 'parentheses that do not end')
  t.equal(await build(`let ${Array.from({ length: 99_000 }, (_, index) => `a${index}`)}`), -3, 'many names')
  t.equal(await build(`builder.CreateFile("docx"); ${'a = 1; '.repeat(10_000)}`), -3, 'many statements')
  t.equal(await build(`builder.CreateFile("docx"); ${'builder.SaveFile("docx", "a.docx"); '.repeat(101)}`), -3, 'many files')
  t.equal(await build(' '.repeat(1_000_001)), -3, 'a long script')
  t.equal(await build(`builder.CreateFile("docx"); Api.GetDocument().GetElement(0).AddText("${'x'.repeat(300_000)}"); ${'builder.SaveFile("docx", "a.docx"); '.repeat(3)}`), -3, 'much text')
})
