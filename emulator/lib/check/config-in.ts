import { fieldsOf, type Fields } from '../editing.js'
import { jsonOrText } from '../json.js'

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&' }

/** Finds the editor configuration in JSON, at any depth, or in the JSON of a script or an attribute of a page. */
export function configIn (body: Buffer): Fields | undefined {
  const parsed = jsonOrText(body)
  if (typeof parsed !== 'string') return within(parsed)
  const attributes = parsed.replace(/&(?:#(\d{1,4})|#x([\da-f]{1,4})|(quot|apos|lt|gt|amp));/gi, (_, decimal, hex, name) =>
    name ? ENTITIES[name.toLowerCase()]! : String.fromCharCode(Number(decimal ?? `0x${hex}`)))
  for (const text of [parsed, attributes]) {
    for (const { index } of text.matchAll(/\{\s*"/g)) {
      const json = objectAt(text, index)
      const config = json === undefined ? undefined : within(jsonOrText(Buffer.from(json)))
      if (config !== undefined) return config
    }
  }
  return undefined
}

function within (value: unknown, depth = 0): Fields | undefined {
  const fields = fieldsOf(value)
  if (typeof fieldsOf(fields.document).url === 'string' || (typeof fields.token === 'string' && fieldsOf(claimsOf(fields.token).document).url)) return fields
  if (depth > 5) return undefined
  for (const inner of Object.values(fields)) {
    const found = within(inner, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

/** The text from an opening brace to the one that closes it. */
function objectAt (text: string, start: number): string | undefined {
  let depth = 0
  for (const { 0: part, index } of text.slice(start).matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}]/gs)) {
    if (part === '{') depth++
    else if (part === '}' && --depth === 0) return text.slice(start, start + index + 1)
  }
  return undefined
}

/** The claims of a token, whoever has signed it. */
export function claimsOf (token: unknown): Fields {
  const [, payload = ''] = String(token).split('.')
  return fieldsOf(jsonOrText(Buffer.from(payload, 'base64url')))
}
