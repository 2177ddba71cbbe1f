import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { blankDocument, blankFileTypes } from '../../lib/index.js'
import { startHost } from '../kit/host.js'
import { missingOffice } from '../kit/programs.js'

const run = promisify(execFile)
const FORMATS = blankFileTypes.filter(format => /^(docx|xlsx|pptx|od[tsp])$/.test(format))
const PAGES: Readonly<Record<string, string>> = { en: '612 792', de: '595 842', ar: '595 842', ja: '595 842' }
const SLIDES: Readonly<Record<string, string>> = { pptx: '960 540', odp: '794 446' }

t.test('LibreOffice opens a blank document of each format: one page of the size that the language decides', { skip: await missingOffice() }, async t => {
  t.setTimeout(300_000)
  const directory = t.testdir({})
  const files = FORMATS.flatMap(format => Object.keys(PAGES).map(lang => ({ format, lang, path: join(directory, `${lang}-${format}.${format}`) })))
  await Promise.all(files.map(async ({ format, lang, path }) => await writeFile(path, blankDocument(format, { lang }))))

  const profile = pathToFileURL(join(directory, 'profile')).href
  await run('soffice', [`-env:UserInstallation=${profile}`, '--headless', '--convert-to', 'pdf', '--outdir', directory, ...files.map(({ path }) => path)])

  for (const { format, lang, path } of files) {
    const pdf = await readFile(path.replace(/\w+$/, 'pdf'), 'latin1')
    const pages = [...pdf.matchAll(/\/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)/g)].map(([, width, height]) =>
      `${Math.round(Number(width))} ${Math.round(Number(height))}`
    )
    t.strictSame([...new Set(pages)], [SLIDES[format] ?? PAGES[lang]], `${format} ${lang}`)
    t.equal([...pdf.matchAll(/\/Type\s*\/Page\b/g)].length, 1)
  }
})

const TEMPLATES = ['dotx', 'xltx', 'potx', 'ott']
const MADE = ['docx', 'xlsx', 'pptx', 'odt']

t.test('LibreOffice opens the document that is made from its own template of each format', { skip: await missingOffice() }, async t => {
  t.setTimeout(300_000)
  const directory = t.testdir({})
  const profile = `-env:UserInstallation=${pathToFileURL(join(directory, 'profile')).href}`
  const host = await startHost(t)
  const made: string[] = []
  for (const [index, template] of TEMPLATES.entries()) {
    const format = MADE[index]!
    await writeFile(join(directory, `blank.${format}`), blankDocument(format))
    await run('soffice', [profile, '--headless', '--convert-to', template, '--outdir', directory, join(directory, `blank.${format}`)])
    const name = `blank.${template}`
    const { fileId } = await host.app.editorControl().createDocument({ from: { content: await readFile(join(directory, name)), title: name } })
    const path = join(directory, `made-${format}.${format}`)
    await writeFile(path, (await host.storage.read(fileId))!.body)
    made.push(path)
  }
  await run('soffice', [profile, '--headless', '--convert-to', 'pdf', '--outdir', directory, ...made])
  for (const path of made) t.match(await readFile(path.replace(/\w+$/, 'pdf'), 'latin1'), /\/Type\s*\/Page\b/, path)
})
