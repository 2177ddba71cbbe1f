import t from 'tap'
import * as errors from '../lib/errors.js'
import * as library from '../lib/index.js'
import { readPage } from './docs/markdown.js'

interface Row { readonly code: string, readonly name: string, readonly statusCode: number, readonly retryable: string }

const page = readPage('docs/errors.md')

t.test('the table of docs/errors.md lists exactly the classes of errors, with status and retryability', async t => {
  t.strictSame(documented().sort(byCode), defined().sort(byCode))
})

t.test('docs/errors.md names exactly the classes that the package exports', async t => {
  const named = page.codeSpans.map(({ text }) => text).filter(text => /^[A-Z]\w+Error$/.test(text))
  t.strictSame([...new Set(named)].sort(), Object.keys(library).filter(name => name.endsWith('Error')).sort())
})

function documented (): Row[] {
  return page.tables[0]!.rows.map(({ cells: [code, status, retryable] }) => ({
    code: code!.text,
    name: classOf(code!.text),
    statusCode: Number(status!.text),
    retryable: retryable!.text || 'no'
  }))
}

/** `FST_EDITOR_NO_DOCUMENT`: `NoDocumentError`. */
function classOf (code: string): string {
  const words = code.replace('FST_EDITOR_', '').split('_')
  return words.map(word => word[0] + word.slice(1).toLowerCase()).join('') + 'Error'
}

function defined (): Row[] {
  return Object.entries(errors).filter(([name]) => name.endsWith('Error') && name !== 'EditorError')
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
