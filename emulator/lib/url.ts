/**
 * The URL a text holds, or `undefined`. `URL.canParse` is not asked: on Node.js 20 and 22 it rejects some valid hosts once
 * it has been optimized.
 */
export function toUrl (text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
