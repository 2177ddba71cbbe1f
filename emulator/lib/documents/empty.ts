import { readFileSync } from 'node:fs'

const TEMPLATES = new Set(['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp'])

/**
 * An empty document, for a file of 0 bytes. Formats without a template give 0 bytes, which is valid for text formats.
 */
export function emptyTemplate (fileType: string): Uint8Array {
  if (!TEMPLATES.has(fileType)) return new Uint8Array()
  return readFileSync(new URL(`./empty-files/empty.${fileType}`, import.meta.url))
}
