import { readFile } from 'node:fs/promises'
import t from 'tap'
import * as library from '../lib/index.js'

interface Row { readonly code: string, readonly statusCode: number }

t.test('the README\'s table of errors lists exactly the error classes the package exports', async t => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const documented = [...readme.matchAll(/^\| `(FST_EDITOR_\w+)` \| (\d+) \|/gm)].map(([, code, status]): Row => ({ code: code!, statusCode: Number(status) }))

  t.strictSame(sorted(documented), sorted(exportedErrors()))
})

function exportedErrors (): Row[] {
  return Object.entries(library)
    .filter(([name]) => name.endsWith('Error'))
    .map(([, ErrorClass]) => {
      const { code, statusCode } = new (ErrorClass as unknown as new () => Row)()
      return { code, statusCode }
    })
}

function sorted (rows: Row[]): Row[] {
  return rows.toSorted((a, b) => a.code.localeCompare(b.code))
}
