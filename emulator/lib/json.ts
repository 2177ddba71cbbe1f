/** Parses bytes as JSON; returns their text when they are not JSON. */
export function jsonOrText (bytes: Buffer): unknown {
  const text = new TextDecoder().decode(bytes) // without a byte order mark
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The fields of a JSON object; `undefined` for any other text. */
export function jsonObject (text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? value as Record<string, unknown> : undefined
  } catch {
    return undefined
  }
}
