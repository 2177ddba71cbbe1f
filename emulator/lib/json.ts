/** Parses bytes as JSON; returns their text when they are not JSON. */
export function jsonOrText (bytes: Buffer): unknown {
  const text = new TextDecoder().decode(bytes) // without a byte order mark
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
