import { createHash, hash } from 'node:crypto'

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

/** Whether a file that begins like this is an HTML page. */
export function isHtml (start: Buffer | string): boolean {
  return /^\uFEFF?\s*<(!doctype html|html|head|body)\b/i.test(start.toString())
}

/** Escapes text for text content and quoted attributes. The result is ASCII: a page may not say that it is UTF-8. */
export function escapeHtml (text: string): string {
  return text.replace(/[&<>"']|[^ -~]/gu, character => `&#${character.codePointAt(0)};`)
}

/** A hash of all parts, as 32 characters of base64url. */
export function digest (...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 32)
}

/** The SHA-256 of a content, which is read for it, in hex. */
export async function sha256Of (content: AsyncIterable<Uint8Array>): Promise<string> {
  const sha256 = createHash('sha256')
  for await (const chunk of content) sha256.update(chunk)
  return sha256.digest('hex')
}

/** Whether a value has kept the quotation marks of a file such as `.env`. */
export function isQuoted (value: string): boolean {
  return /^(["'`]).*\1$/s.test(value)
}

/** Where a page of `docs/`, such as `hooks.md#logins`, can be read: for messages. The npm package contains it, too. */
export function guide (page: string): string {
  return `https://github.com/fastify-onlyoffice/fastify-onlyoffice/blob/main/docs/${page}`
}
