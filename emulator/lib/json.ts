/** What bytes say: parsed when they are JSON, else their text. */
export function jsonOrText (bytes: Buffer): unknown {
  const text = new TextDecoder().decode(bytes) // without a byte order mark
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
