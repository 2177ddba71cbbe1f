import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { blankDocument, blankFormats } from '../../lib/index.js'
import { missingOffice } from '../kit/programs.js'

const run = promisify(execFile)
const FORMATS = blankFormats.filter(format => /^(docx|xlsx|pptx|od[tsp])$/.test(format))
const PAGES: Readonly<Record<string, string>> = { en: '612 792', de: '595 842', ar: '595 842', ja: '595 842' }
const SLIDES: Readonly<Record<string, string>> = { pptx: '960 540', odp: '794 446' }

t.test('LibreOffice opens a blank document of each format: one page of the size that the language decides', { skip: await missingOffice() }, async t => {
  t.setTimeout(120_000)
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
