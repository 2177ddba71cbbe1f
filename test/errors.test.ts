import t from 'tap'
import * as library from '../lib/index.js'
import { readPage } from './docs/markdown.js'

interface Row { readonly code: string, readonly name: string, readonly statusCode: number, readonly retryable: string }

t.test('the table of docs/errors.md lists exactly the error classes that the package exports, with status and retryability', async t => {
  t.strictSame(documented().sort(byCode), exported().sort(byCode))
})

function documented (): Row[] {
  const [table] = readPage('docs/errors.md').tables
  return table!.rows.map(({ cells: [code, name, status, retryable] }) => ({
    code: code!.text,
    name: name!.text,
    statusCode: Number(status!.text),
    retryable: retryable!.text
  }))
}

function exported (): Row[] {
  return Object.entries(library)
    .filter(([name]) => name.endsWith('Error'))
    .map(([name, ErrorClass]) => {
      const error = new (ErrorClass as unknown as new () => { readonly code: string, readonly statusCode: number, readonly retryable: boolean })()
      // Of its own, if it is said where the error is made.
      const retryable = Object.hasOwn(error, 'retryable') ? 'depends' : error.retryable ? 'yes' : 'no'
      return { code: error.code, name, statusCode: error.statusCode, retryable }
    })
}

function byCode (a: Row, b: Row): number {
  return a.code.localeCompare(b.code)
}
