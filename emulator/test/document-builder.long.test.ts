import t from 'tap'
import { fixture, postSigned, startBoth, startFakeHost } from './support.js'

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const { host, server } = await startBoth(t)
  /** The saved files by name. */
  async function build (script: string): Promise<Record<string, Buffer> | number> {
    host.files.set('/files/script', Buffer.from(script))
    const answer = await (await postSigned(`${server.url}/docbuilder`, { url: `${host.origin}/files/script`, argument: {} })).json() as
      { readonly error?: number, readonly urls?: Readonly<Record<string, string>> }
    if (answer.error !== undefined) return answer.error
    return Object.fromEntries(await Promise.all(Object.entries(answer.urls!).map(async ([name, url]) =>
      [name, Buffer.from(await (await fetch(url)).arrayBuffer())] as const)))
  }
  return { host, build }
}

t.test('new and opened files are saved in several formats', async t => {
  const { host, build } = await start(t)
  host.files.set('/files/report.docx', fixture('report.docx'))
  const files = await build(`
    // builder.CreateFile("exe")
    builder.SetTmpFolder("/tmp"); builder.CreateFile('docx')
    const paragraph = Api.CreateParagraph(); /* builder.SaveFile("docx", "comment.docx")
      over two lines */
    paragraph.AddText("builder.SaveFile('docx', 'text.docx')")
    builder.SaveFile("docx", "./letters/new.docx"); builder.SaveFile("pdf", "new.pdf")
    builder.CloseFile()
    builder.OpenFile("${host.origin}/files/report.docx", "");
    builder.SaveFile("docx", "same.docx"); builder.SaveFile("txt", "report.txt"); builder.CloseFile();
    builder.CreateFile("xlsx"); builder.SaveFile("xlsx", "table.xlsx")
    builder.CreateFile("pptx"); builder.SaveFile("pptx", "deck.pptx")
    builder.CreateFile("pdf"); builder.SaveFile("pdf", "empty.pdf")
  `) as Record<string, Buffer>
  t.strictSame(Object.keys(files), ['new.docx', 'new.pdf', 'same.docx', 'report.txt', 'table.xlsx', 'deck.pptx', 'empty.pdf'])
  t.ok(files['same.docx']!.equals(fixture('report.docx')))
  t.match(files['report.txt']!.toString(), 'Currency is EUR.')
  for (const name of ['new.docx', 'table.xlsx', 'deck.pptx']) t.match(files[name]!.toString('latin1'), /^PK/)
  for (const name of ['new.pdf', 'empty.pdf']) t.match(files[name]!.toString('latin1'), /^%PDF-/)
})

t.test('a script that saves nothing answers -3, as one that costs much', async t => {
  const { build } = await start(t)
  for (const script of [
    '', 'builder.CreateFile("docx")', 'builder.SaveFile("docx", "a.docx")',
    'builder.CreateFile("docx"); builder.CloseFile(); builder.SaveFile("docx", "a.docx")',
    'builder.CreateFile("exe"); builder.SaveFile("docx", "a.docx")',
    'builder.CreateFile(name); builder.SaveFile("docx", "a.docx")',
    'builder.OpenFile("a.docx"); builder.SaveFile("docx", "a.docx")',
    'builder.CreateFile("docx"); builder.SaveFile("docx", "/")',
    'builder.CreateFile("docx"); builder.SaveFile("xlsx", "a.xlsx")',
    'builder.CreateFile("docx"); builder.SaveFile("zzz", "a.zzz")',
    '"builder.CreateFile(\'docx\'); builder.SaveFile(\'docx\', \'a.docx\')', '"\\'.repeat(100_000), 'builder.a('.repeat(90_000), ' '.repeat(1_000_001),
    `builder.CreateFile("docx"); ${'builder.SaveFile("docx", "a.docx"); '.repeat(101)}`
  ]) t.equal(await build(script), -3, script.slice(0, 60))
})
