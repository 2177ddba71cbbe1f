export type JsonObject = Record<string, unknown>

/**
 * Parses JSON; `undefined` if the text is not JSON. The parser's error is dropped because its message would quote the
 * text in the log.
 */
export function parseJson (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isJsonObject (value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
