import t from 'tap'
import * as errors from '../lib/errors.js'
import * as library from '../lib/index.js'
import { readPage } from './docs/markdown.js'

interface Row { readonly code: string, readonly name: string, readonly statusCode: number, readonly retryable: string, readonly isExported: boolean }

t.test('the table of docs/errors.md lists exactly the classes of errors, with status and retryability, and which of them the package exports', async t => {
  t.strictSame(documented().sort(byCode), defined().sort(byCode))
})

function documented (): Row[] {
  const [table] = readPage('docs/errors.md').tables
  return table!.rows.map(({ cells: [code, name, status, retryable, isExported] }) => ({
    code: code!.text,
    name: name!.text,
    statusCode: Number(status!.text),
    retryable: retryable!.text,
    isExported: isExported!.text === 'yes'
  }))
}

function defined (): Row[] {
  return Object.entries(errors)
    .filter(([name]) => name.endsWith('Error') && name !== 'EditorError')
    .map(([name, ErrorClass]) => {
      const error = new (ErrorClass as unknown as new () => { readonly code: string, readonly statusCode: number, readonly retryable: boolean })()
      // Of its own, if it is said where the error is made.
      const retryable = Object.hasOwn(error, 'retryable') ? 'depends' : error.retryable ? 'yes' : 'no'
      return { code: error.code, name, statusCode: error.statusCode, retryable, isExported: name in library }
    })
}

function byCode (a: Row, b: Row): number {
  return a.code.localeCompare(b.code)
}
