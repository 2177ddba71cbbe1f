import { createHash } from 'node:crypto'
import type { FileInfo } from '../../types/storage.js'

/**
 * The document key of one content of one file: the same on every instance of a service, different for every file
 * and every content. `scope` keeps services that share a document server apart.
 * At most 128 characters of `[0-9A-Za-z._=-]`: others fail silently in the editor (protocol, document.key).
 */
export function documentKey (scope: string, { fileId, revision }: Pick<FileInfo, 'fileId' | 'revision'>): string {
  return `${digest(scope, fileId)}.${digest(revision)}`
}

/** A conversion result is cached by its key alone, so the key must name everything that shapes the result. */
export function conversionKey (...parts: readonly string[]): string {
  return digest(...parts)
}

function digest (...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 32)
}
