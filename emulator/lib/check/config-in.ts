import { fieldsOf, type Fields } from '../editing.js'
import { jsonOrText } from '../json.js'

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&' }

/** Finds the editor configuration in JSON, or in the JSON of a script or an attribute of a page. */
export function configIn (body: Buffer): Fields | undefined {
  const parsed = jsonOrText(body)
  if (typeof parsed !== 'string') return within(parsed)
  const references = /&(?:#(\d{1,4})|#x([\da-f]{1,4})|(quot|apos|lt|gt|amp));/gi
  const attributes = parsed.replace(references, (_, decimal, hex, name) =>
    name ? ENTITIES[name.toLowerCase()]! : String.fromCharCode(Number(decimal ?? `0x${hex}`)))
  for (const text of [parsed, attributes]) {
    for (const { index } of text.matchAll(/\{\s*"/g)) {
      const config = within(objectAt(text, index))
      if (config !== undefined) return config
    }
  }
  return undefined
}

/** The JSON object that begins here, if it is one. */
function objectAt (text: string, start: number): unknown {
  let [depth, end, isText] = [0, start, false]
  for (; end < text.length; end++) {
    const letter = text[end]
    if (letter === '"') isText = !isText
    else if (isText && letter === '\\') end++
    else if (!isText && letter === '{') depth++
    else if (!isText && letter === '}' && --depth === 0) break
  }
  try {
    return JSON.parse(text.slice(start, end + 1))
  } catch {
    return undefined
  }
}

function within (value: unknown): Fields | undefined {
  const fields = fieldsOf(value)
  if (isConfig(fields)) return fields
  for (const inner of Object.values(fields)) {
    const config = within(inner)
    if (config !== undefined) return config
  }
  return undefined
}

function isConfig ({ document, token }: Fields): boolean {
  if (typeof fieldsOf(document).url === 'string') return true
  return typeof token === 'string' && Boolean(fieldsOf(claimsOf(token).document).url)
}

/** The claims of a token, whoever has signed it. */
export function claimsOf (token: unknown): Fields {
  const [, payload = ''] = String(token).split('.')
  return fieldsOf(jsonOrText(Buffer.from(payload, 'base64url')))
}
