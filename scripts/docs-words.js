// Prints the words and the lines of code of each page of docs/. Exit code 1 if a limit is exceeded.
//   npm run docs:words
import { readdirSync, readFileSync } from 'node:fs'

const MAX_WORDS = 20_000
const MIN_CODE_LINES_PER_100_WORDS = 6
// The description of the document server's protocol is a reference with a source for each statement, not a guide.
const NOT_COUNTED = new Set(['document-server-protocol.md'])

const pages = readdirSync('docs').filter(name => name.endsWith('.md') && !NOT_COUNTED.has(name)).map(sizeOf)
const total = { name: 'total', words: sumOf('words'), codeLines: sumOf('codeLines') }

for (const page of [...pages.sort((a, b) => b.words - a.words), total]) {
  console.log(`${page.name.padEnd(32)} ${column(page.words)} words ${column(page.codeLines)} lines of code ` +
    `${column(per100Words(page).toFixed(1))} per 100 words`)
}
if (total.words > MAX_WORDS || per100Words(total) < MIN_CODE_LINES_PER_100_WORDS) {
  console.error(`docs/ may have ${MAX_WORDS} words, and needs ${MIN_CODE_LINES_PER_100_WORDS} lines of code per 100`)
  process.exitCode = 1
}

/** @param {string} name */
function sizeOf (name) {
  let [words, codeLines, isCode] = [0, 0, false]
  for (const line of readFileSync(`docs/${name}`, 'utf8').split('\n')) {
    if (/^\s*```/.test(line)) isCode = !isCode
    else if (isCode) codeLines += line.trim() === '' ? 0 : 1
    else words += line.replace(/\]\([^)]*\)/g, ']').split(/\s+/).filter(word => /[\p{L}\p{N}]/u.test(word)).length
  }
  return { name, words, codeLines }
}

/** @param {'words' | 'codeLines'} field */
function sumOf (field) {
  return pages.reduce((sum, page) => sum + page[field], 0)
}

/** @param {{ words: number, codeLines: number }} size */
function per100Words ({ words, codeLines }) {
  return 100 * codeLines / Math.max(words, 1)
}

/** @param {string | number} value */
function column (value) {
  return String(value).padStart(6)
}
