import { readFileSync } from 'node:fs'
import t from 'tap'
import * as errors from '../lib/errors.js'
import * as library from '../lib/index.js'
import { readPage } from './docs/markdown.js'

interface Row { readonly code: string, readonly name: string, readonly statusCode: number, readonly retryable: boolean }

const page = readPage('docs/troubleshooting.md')

t.test('the table of docs/troubleshooting.md lists exactly the classes of errors, with status and retryability', async t => {
  t.strictSame(documented().sort(byCode), defined().sort(byCode))
})

// Compiled by `npm run typecheck`: the wrong code must stay an error.
t.test('the code of an error is an EditorErrorCode, for the compiler as well', async t => {
  const { code }: library.EditorError = new errors.BusyError('others save it')
  const right: library.EditorErrorCode = 'FST_EDITOR_BUSY'
  // @ts-expect-error there is no such code
  t.strictSame([code === right, code === 'FST_EDITOR_BUSSY'], [true, false])
})

t.test('EditorErrorCode is exactly the codes of the classes', async t => {
  const codes = readFileSync(new URL('../types/errors.ts', import.meta.url), 'utf8').match(/'FST_\w+'/g)!
  t.strictSame(codes.map(code => code.slice(1, -1)).sort(), defined().map(({ code }) => code).sort())
})

t.test('docs/troubleshooting.md names exactly the classes that the package exports', async t => {
  const named = page.codeSpans.map(({ text }) => text).filter(text => /^[A-Z]\w+Error$/.test(text))
  t.strictSame([...new Set(named)].sort(), Object.keys(library).filter(name => name.endsWith('Error')).sort())
})

/** Of what depends on the error, the usual values. */
function documented (): Row[] {
  return page.tables.find(({ header }) => header[0]?.text === 'code')!.rows.map(({ cells: [code, status, retryable] }) => ({
    code: code!.text,
    name: classOf(code!.text),
    statusCode: Number.parseInt(status!.text),
    retryable: /^(yes|usually)$/.test(retryable!.text)
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
      const { code, statusCode, retryable } = new (ErrorClass as unknown as new () => errors.EditorError)()
      return { code, name, statusCode, retryable }
    })
}

function byCode (a: Row, b: Row): number {
  return a.code.localeCompare(b.code)
}
