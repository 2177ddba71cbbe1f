import t from 'tap'
import { readPage } from './markdown.js'
import { collectMessages, type Message } from './messages.js'

// docs/troubleshooting.md has the messages of the library in tables whose first column is `message`, word for word, with
// … for any text. A message needs an entry unless it says itself what to do, or another page does (`needsEntry`). Add
// what this test prints, with what to do; remove or correct what it calls unknown.

const PAGE = 'docs/troubleshooting.md'

/**
 * Codes of errors with several causes, each of which the page has. The others have one cause: the message says what to
 * do, as that of an invalid option, and docs/errors.md has a row for each code (test/errors.test.ts).
 */
const CODES_WITH_CAUSES: readonly string[] = [
  'FST_EDITOR_ADDRESS_BLOCKED',
  'FST_EDITOR_FORBIDDEN',
  'FST_EDITOR_INVALID_CALLBACK',
  'FST_EDITOR_STORAGE',
  'FST_EDITOR_UNAUTHORIZED',
  'FST_EDITOR_UPSTREAM',
  'FST_EDITOR_UPSTREAM_TIMEOUT'
]

/** Texts of the page that report no problem, by their names in lib/browser/messages.js. */
const LABELS: readonly string[] = [
  'loading', 'tryAgain', 'reload', 'savingCopy', 'copySaved', 'copyOffered', 'download', 'restoring', 'loadingHistory',
  'created', 'linkReady', 'open', 'dismiss', 'closing', 'closeAnyway', 'keepOpen', 'closed', 'openAgain', 'chooseImage',
  'chooseCompare', 'chooseCombine', 'chooseInsert', 'chooseTemplate', 'blankDocument', 'chooseSpreadsheet', 'sharing', 'sharedByLink', 'sharedWithNobody',
  'changeSharing', 'search', 'searching', 'nothingFound', 'cancel'
]

/** What nobody meets: reasons with which the library ends its own work, and notes from one of its parts to another. */
const INTERNAL: readonly string[] = [
  'The document was changed before it could be replaced',
  'The document was changed before its version could be kept',
  'The record of the document has changed',
  'The upstream request failed: …', // what follows is known case by case
  'The versions of the document have changed meanwhile',
  'invalid query',
  'null or undefined was thrown',
  'the URL of its result is invalid', // ends the message of a conversion
  'the client has disconnected',
  'the result is …' // the same
]

/** Whose text is not ours. */
const UNREADABLE: Readonly<Record<string, string>> = {
  'lib/plugin.ts': 'a finding of the doctor: docs/doctor.md',
  'lib/save/inspection.ts': 'what the hook `inspect` says to users',
  'lib/storage/s3/store-errors.ts': 'what the object store says'
}

/** With fewer words that are fixed, an entry would be found for everything. */
const MIN_FIXED_WORDS = 2

interface Entry { readonly text: string, readonly line: number }

const { messages, unreadable } = collectMessages()
const entries = readPage(PAGE).tables
  .filter(({ header }) => header[0]?.text === 'message')
  .flatMap(({ rows }) => rows.flatMap(({ line, cells }) => cells[0]!.codeSpans.map((text): Entry => ({ text: tidy(text), line }))))

t.setTimeout(300_000) // the compiler reads all sources

t.test('every message that does not say itself what to do is in docs/troubleshooting.md', async t => {
  const needed = messages.filter(needsEntry)
  t.ok(needed.length > 150, 'the sources were read')
  const missing = needed.filter(message => !entries.some(entry => covers(entry, message)))
  for (const message of missing) t.comment(asRow(message))
  t.equal(missing.length, 0, missing.length === 0 ? 'none is missing' : 'the comments above are the missing rows: add them, with what to do')
})

t.test('every entry of docs/troubleshooting.md is a message that the library has, and occurs once', async t => {
  const unknown = entries.filter(entry => !messages.some(message => covers(entry, message)))
  for (const entry of unknown) t.comment(`${PAGE}:${entry.line}: ${entry.text}${suggestion(entry)}`)
  t.equal(unknown.length, 0, unknown.length === 0 ? 'none is unknown' : 'the comments above are unknown entries: correct or remove them')
  const texts = entries.map(({ text }) => text)
  t.strictSame(texts.filter((text, index) => texts.indexOf(text) !== index), [], 'none occurs twice')
})

t.test('every row quotes a message or describes a symptom, and says what to do', async t => {
  const faults = readPage(PAGE).tables.flatMap(({ header, rows }) => rows.filter(({ cells: [what, remedy] }) =>
    remedy?.text === '' || (header[0]!.text === 'message' ? what!.codeSpans.length === 0 : what!.text === '')))
  t.strictSame(faults.map(({ line }) => `${PAGE}:${line}`), [])
  const vague = entries.filter(({ text }) => text.split(/[…\s]+/).filter(word => /\p{L}/u.test(word)).length < MIN_FIXED_WORDS)
  t.strictSame(vague.map(({ text }) => text), ['Blocked: …'], 'one has no more words')
})

t.test('the page names the codes with several causes, and no others', async t => {
  const named = readPage(PAGE).codeSpans.map(({ text }) => text).filter(text => text.startsWith('FST_'))
  t.strictSame([...new Set(named)].sort(), CODES_WITH_CAUSES)
})

t.test('what this test leaves out is still in the sources', async t => {
  for (const text of INTERNAL) t.ok(messages.some(message => message.text === text), text)
  for (const key of LABELS) t.ok(messages.some(message => message.key === key), key)
  for (const code of CODES_WITH_CAUSES) t.ok(messages.some(message => message.code === code), code)
  t.strictSame([...new Set(unreadable.map(place => place.split(':')[0]!))].sort(), Object.keys(UNREADABLE))
})

function needsEntry ({ kind, text, code, key }: Message): boolean {
  switch (kind) {
    case 'log': return true
    case 'error': return (code === undefined || CODES_WITH_CAUSES.includes(code)) && !INTERNAL.includes(text)
    // Advice is the second line of a message, and what the module throws to the page's developer says what is wrong.
    case 'page': return key !== undefined && !key.endsWith('Advice') && !LABELS.includes(key)
  }
}

function covers (entry: Entry, { text }: Message): boolean {
  return pattern(entry.text).test(text)
}

function pattern (text: string): RegExp {
  return new RegExp(`^${text.split('…').map(escaped).join('.*')}$`, 's')
}

function escaped (text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

function tidy (text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

/** Ready to be completed. */
function asRow ({ text, place }: Message): string {
  const fence = text.includes('`') ? '``' : '`'
  return `| ${fence}${text.replaceAll('|', '\\|')}${fence} | … |  <- ${place}`
}

/** The message that begins or ends alike: probably it was changed. */
function suggestion ({ text }: Entry): string {
  const ranked = messages.map(message => ({ message, common: commonLength(text, message.text) })).sort((a, b) => b.common - a.common)
  const [best] = ranked
  return best && best.common >= Math.max(10, text.length / 3) ? ` — the sources have: ${best.message.text}  (${best.message.place})` : ''
}

function commonLength (a: string, b: string): number {
  let start = 0
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return start + end
}
