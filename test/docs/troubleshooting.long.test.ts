import t from 'tap'
import { readPage } from './markdown.js'
import { collectMessages, type Message } from './messages.js'

// docs/troubleshooting.md has each message of the library in a table whose first column is `message`, word for word,
// with … for what differs each time. Add what this test prints, with cause and cure; remove or correct what it calls
// unknown.

const PAGE = 'docs/troubleshooting.md'

/** Entries for many messages that say themselves what to do. Their … stands for any text. */
const FAMILIES: readonly string[] = [
  'Option … must be …',
  'Option … must not be …',
  'Forbidden: authorize returned …: only true allows',
  'Option storage needs an object store with conditional writes: this one does not honour …, so that saves would overwrite each other',
  'The document server refused the command …: error … (…)',
  'the document server\'s command service gave no usable answer: …',
  'The document server could not convert the document: error … (…)',
  'The document builder failed: error … (…)',
  'The hook actions.… returned something other than …',
  'a hook of the application ended a … of the document server with status …, before the plugin: …',
  'Not listening, because port … cannot be used (…): the application is expected to answer at …, with the same secret and path.'
]

/** What nobody meets: reasons with which the library ends its own work, and notes from one of its parts to another. */
const INTERNAL: readonly string[] = [
  'Option …', // its rule is one of those in lib/options.ts
  'The document was changed before it could be replaced',
  'The document was changed before its version could be kept',
  'The document was not saved: …', // what follows is known case by case
  'The record of the document has changed',
  'The upstream request failed: …', // the same
  'The versions of the document have changed meanwhile',
  'invalid query',
  'null or undefined was thrown',
  'the client has disconnected'
]

/** Whose text is not ours. */
const UNREADABLE: Readonly<Record<string, string>> = {
  'lib/cli/doctor.ts': 'the rule of an option, which an entry for options has',
  'lib/cli/main.ts': 'a usage error, which is read where it is made',
  'lib/cli/options.ts': 'what Node.js says of the command line',
  'lib/plugin.ts': 'a finding of the doctor: docs/doctor.md',
  'lib/storage/s3/store-errors.ts': 'what the object store says'
}

interface Entry { readonly text: string, readonly line: number }

const { messages, unreadable } = collectMessages()
const entries = readPage(PAGE).tables
  .filter(({ header }) => header[0]?.text === 'message')
  .flatMap(({ rows }) => rows.flatMap(({ line, cells }) => cells[0]!.codeSpans.map((text): Entry => ({ text: tidy(text), line }))))

t.setTimeout(120_000) // the compiler reads all sources

t.test('every message that the library has is in docs/troubleshooting.md', async t => {
  t.ok(messages.length > 200, 'the sources were read')
  const missing = messages.filter(message => !INTERNAL.includes(message.text) && !entries.some(entry => covers(entry, message)))
  for (const message of missing) t.comment(asRow(message))
  t.equal(missing.length, 0, missing.length === 0 ? 'none is missing' : 'the comments above are the missing rows: add them, with cause and cure')
})

t.test('every entry of docs/troubleshooting.md is a message that the library has, and occurs once', async t => {
  const unknown = entries.filter(entry => !messages.some(message => covers(entry, message)))
  for (const entry of unknown) t.comment(`${PAGE}:${entry.line}: ${entry.text}${suggestion(entry)}`)
  t.equal(unknown.length, 0, unknown.length === 0 ? 'none is unknown' : 'the comments above are unknown entries: correct or remove them')
  const texts = entries.map(({ text }) => text)
  t.strictSame(texts.filter((text, index) => texts.indexOf(text) !== index), [], 'none occurs twice')
})

t.test('every row quotes a message or describes a symptom, with its cause', async t => {
  const faults = readPage(PAGE).tables.flatMap(({ header, rows }) => {
    const cause = header.findIndex(({ text }) => text === 'cause')
    return rows.filter(({ cells }) => cells[cause]?.text === '' || (header[0]!.text === 'message' ? cells[0]!.codeSpans.length === 0 : cells[0]!.text === ''))
  })
  t.strictSame(faults.map(({ line }) => `${PAGE}:${line}`), [])
})

t.test('what this test leaves out is still in the sources', async t => {
  for (const text of FAMILIES) t.ok(entries.some(entry => entry.text === text), `${text} has an entry`)
  for (const text of INTERNAL) t.ok(messages.some(message => message.text === text), text)
  t.strictSame([...new Set(unreadable.map(place => place.split(':')[0]!))].sort(), Object.keys(UNREADABLE))
})

function covers (entry: Entry, { text }: Message): boolean {
  return entry.text === text || (FAMILIES.includes(entry.text) && pattern(entry.text).test(text))
}

function pattern (text: string): RegExp {
  return new RegExp(`^${text.split('…').map(escaped).join('.+')}$`, 's')
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
  return `| ${fence}${text.replaceAll('|', '\\|')}${fence} | … | … |  <- ${place}`
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
