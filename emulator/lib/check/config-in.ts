import { fieldsOf, type Fields } from '../editing.js'
import { jsonOrText } from '../json.js'

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&' }

const DEEPEST_IN_JSON = 5

/** Finds the editor configuration in JSON, or in the JSON of a script or an attribute of a page. Takes linear time. */
export function configIn (body: Buffer): Fields | undefined {
  const parsed = jsonOrText(body)
  if (typeof parsed !== 'string') return within(parsed, DEEPEST_IN_JSON)
  const attributes = parsed.replace(/&(?:#(\d{1,4})|#x([\da-f]{1,4})|(quot|apos|lt|gt|amp));/gi, (_, decimal, hex, name) =>
    name ? ENTITIES[name.toLowerCase()]! : String.fromCharCode(Number(decimal ?? `0x${hex}`)))
  for (const text of [parsed, attributes]) {
    const ends = new Map<number, number>()
    let looked = 0
    for (const { index } of text.matchAll(/\{\s*"/g)) {
      if (index < looked) continue
      if (!ends.has(index)) findEnds(text, index, ends)
      const end = ends.get(index)!
      if (end === NO_END) continue
      const config = within(JSON.parse(text.slice(index, end)))
      if (config !== undefined) return config
      looked = end
    }
  }
  return undefined
}

function within (value: unknown, deepest = Infinity): Fields | undefined {
  const waiting = [{ value, depth: 0 }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const fields = fieldsOf(next.value)
    if (isConfig(fields)) return fields
    const depth = next.depth + 1
    if (depth > deepest + 1) continue
    for (const value of Object.values(fields).reverse()) waiting.push({ value, depth })
  }
  return undefined
}

function isConfig ({ document, token }: Fields): boolean {
  if (typeof fieldsOf(document).url === 'string') return true
  return typeof token === 'string' && Boolean(fieldsOf(claimsOf(token).document).url)
}

const NO_END = -1
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const ESCAPED = /["\\/bfnrt]|u[\da-fA-F]{4}/y

/**
 * Reads the JSON object that begins at `start`, up to its end or the first error, and notes where it and each object
 * in it ends. Reading an object in it once more would find the same: a page is read at most twice, once per meaning of
 * its quotes.
 */
function findEnds (text: string, start: number, ends: Map<number, number>): void {
  /** The starts of the objects that are open, and `undefined` for an array. */
  const open: Array<number | undefined> = []
  let expected: 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end' = 'value'
  for (let at = start; at < text.length; at++) {
    const letter = text[at]!
    const isValue: boolean = expected === 'value' || expected === 'value or ]'
    if (/[ \t\n\r]/.test(letter)) continue
    if (letter === '"') {
      at = endOfString(text, at)
      if (at === NO_END || !(isValue || expected.startsWith('key'))) return
      expected = isValue ? ', or end' : ':'
    } else if (letter === '{' || letter === '[') {
      if (!isValue) return
      open.push(letter === '{' ? at : undefined)
      if (letter === '{') ends.set(at, NO_END)
      expected = letter === '{' ? 'key or }' : 'value or ]'
    } else if (letter === '}' || letter === ']') {
      const opened = open.pop()
      if ((opened === undefined) !== (letter === ']')) return
      if (expected !== ', or end' && !expected.endsWith(letter)) return
      if (opened !== undefined) ends.set(opened, at + 1)
      if (open.length === 0) return
      expected = ', or end'
    } else if (letter === ':' || letter === ',') {
      if (!expected.startsWith(letter)) return
      expected = letter === ':' || open.at(-1) === undefined ? 'value' : 'key'
    } else {
      LITERAL.lastIndex = at
      if (!isValue || !LITERAL.test(text)) return
      at = LITERAL.lastIndex - 1
      expected = ', or end'
    }
  }
}

/** The index of the quote that ends a string of JSON. */
function endOfString (text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const letter = text[at]!
    if (letter === '"') return at
    if (letter < ' ') return NO_END
    if (letter !== '\\') continue
    ESCAPED.lastIndex = at + 1
    if (!ESCAPED.test(text)) return NO_END
    at = ESCAPED.lastIndex - 1
  }
  return NO_END
}

/** The claims of a token, whoever has signed it. */
export function claimsOf (token: unknown): Fields {
  const [, payload = ''] = String(token).split('.')
  return fieldsOf(jsonOrText(Buffer.from(payload, 'base64url')))
}
