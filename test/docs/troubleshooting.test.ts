import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { englishMessages } from '../../types/messages.js'
import { readPage, root } from './markdown.js'

// docs/troubleshooting.md has the messages of the library in tables whose first column is `message`, word for word, with
// … for any text.

const PAGE = 'docs/troubleshooting.md'
/** Codes of errors with several causes. The others have one: the message says what to do. */
const CODES_WITH_CAUSES: readonly string[] = [
  'FST_EDITOR_ADDRESS_BLOCKED', 'FST_EDITOR_FORBIDDEN', 'FST_EDITOR_INVALID_CALLBACK', 'FST_EDITOR_STORAGE',
  'FST_EDITOR_UNAUTHORIZED', 'FST_EDITOR_UPSTREAM', 'FST_EDITOR_UPSTREAM_TIMEOUT'
]
/** Texts of the page that report no problem. */
const LABELS: readonly string[] = [
  'loading', 'tryAgain', 'reload', 'savingCopy', 'copySaved', 'copyOffered', 'download', 'restoring', 'loadingHistory',
  'created', 'linkReady', 'open', 'dismiss', 'closing', 'closeAnyway', 'keepOpen', 'closed', 'openAgain', 'chooseImage',
  'chooseCompare', 'chooseCombine', 'chooseInsert', 'chooseTemplate', 'blankDocument', 'chooseSpreadsheet', 'sharing',
  'sharedByLink', 'sharedWithNobody', 'changeSharing', 'search', 'searching', 'nothingFound', 'cancel'
]

const files = readdirSync(join(root, 'lib'), { recursive: true, encoding: 'utf8' }).filter(name =>
  /\.(ts|js|json)$/.test(name) && !/compiled|^(assets|conformance|cli)\//.test(name)
)
const sources = [...files.map(name => readFileSync(join(root, 'lib', name), 'utf8')), ...Object.values(englishMessages)].join('\n').replaceAll(/'\s*\+\s*'/g, '').replaceAll("\\'", "'")
const entries = readPage(PAGE).tables.filter(({ header }) => header[0]?.text === 'message').flatMap(({ rows }) =>
  rows.flatMap(({ line, cells }) => cells[0]!.codeSpans.map(text => ({ line, text: text.trim().replaceAll(/\s+/g, ' ') })))
)

/** Whether the page has this message. */
function isListed (message: string): boolean {
  const text = message.replaceAll(/\{\w+\}|\$\{[^}]*\}/g, '…')
  return entries.some(entry => new RegExp(`^${entry.text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('…', '.*')}$`, 's').test(text))
}

t.test('every problem that the page shows, and every line of the log, is listed', async t => {
  const shown = Object.entries<string>(englishMessages).filter(([key]) => !key.endsWith('Advice') && !LABELS.includes(key)).map(([, text]) => text)
  const logged = [...sources.matchAll(/\blog(?:ger)?\.(?:fatal|error|warn|info|debug|trace)\((?:\{[^{}]*\}, |[\w.]+, )?(['`])((?:(?!\1).)+)\1\)/g)]
  t.ok(shown.length > 10 && logged.length > 20, `${shown.length} texts, ${logged.length} lines`)
  t.strictSame([...shown, ...logged.map(([, , text]) => text!)].filter(text => !isListed(text)), [])
})

t.test('every entry is a message of the library, occurs once, and says what to do', async t => {
  const parts = (text: string) => text.split(/…|: |, /).map(part => part.trim()).filter(part => /\w+\W+\w+/.test(part) && !part.includes('x-editor-'))
  t.strictSame(entries.filter(({ text }) => !parts(text).every(part => sources.includes(part))), [])
  const texts = entries.map(({ text }) => text)
  t.strictSame(texts.filter((text, index) => texts.indexOf(text) !== index), [])
  const rows = readPage(PAGE).tables.flatMap(({ rows }) => rows)
  t.strictSame(rows.filter(({ cells: [what, remedy] }) => what?.text === '' || remedy?.text === '').map(({ line }) => line), [])
})

t.test('the codes with several causes, and no others, have headings', async t => {
  const named = readPage(PAGE).headings.flatMap(({ text }) => text.match(/FST_\w+/g) ?? [])
  t.strictSame(named.sort(), CODES_WITH_CAUSES)
})
