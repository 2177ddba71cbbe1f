import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Commas, quotation marks, UTF-8, values as they are shown, every sheet a file. */
const CSV_OF_ALL_SHEETS = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1'

/** For the `skip` option of a test: why there is no LibreOffice, else `false`. */
export async function missingOffice (): Promise<string | false> {
  return await run('soffice', ['--version']).then(() => false as const, () => 'LibreOffice is not installed')
}

/** What LibreOffice shows of the sheets of a workbook: lines of CSV by sheet. */
export async function calculatedSheets (bytes: Uint8Array): Promise<Map<string, string[]>> {
  const directory = await mkdtemp(join(tmpdir(), 'office-'))
  try {
    await writeFile(join(directory, 'book.xlsx'), bytes)
    const profile = pathToFileURL(join(directory, 'profile')).href
    await run('soffice', [
      `-env:UserInstallation=${profile}`,
      '--headless',
      '--convert-to',
      CSV_OF_ALL_SHEETS,
      '--outdir',
      directory,
      join(directory, 'book.xlsx')
    ])
    const names = (await readdir(directory)).filter(name => name.endsWith('.csv'))
    return new Map(await Promise.all(names.map(async name => {
      const text = await readFile(join(directory, name), 'utf8')
      return [name.slice('book-'.length, -'.csv'.length), text.trimEnd().split('\n')] as const
    })))
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 })
  }
}
