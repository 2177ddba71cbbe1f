import { createHash } from 'node:crypto'
import type { FileInfo } from '../../types/storage.js'

type Content = Pick<FileInfo, 'fileId' | 'revision'>

/** The document keys of one service. `scope` keeps services that share a document server apart. */
export interface DocumentKeys {
  /**
   * The document key of one content of one file: the same on every instance of a service, different for every file
   * and every content. `used` are keys the document server takes no more edits under, though the content is the same.
   * At most 128 characters of `[0-9A-Za-z._=-]`: others fail silently in the editor (protocol, document.key).
   */
  of (content: Content, used?: ReadonlySet<string>): string
  /** Whether a key is one of these for the file, whatever the content. */
  isFor (fileId: string, key: string): boolean
  /** Whether a key of the file is for this very content. */
  isOf (content: Content, key: string): boolean
}

export function documentKeys (scope: string): DocumentKeys {
  const prefix = (fileId: string) => `${digest(scope, fileId)}.`
  const first = ({ fileId, revision }: Content) => `${prefix(fileId)}${digest(revision)}`

  return {
    of (content, used = new Set()) {
      let key = first(content)
      for (let again = 1; used.has(key); again++) key = `${first(content)}.${again}`
      return key
    },
    isFor: (fileId, key) => key.startsWith(prefix(fileId)),
    isOf: (content, key) => key === first(content) || key.startsWith(`${first(content)}.`)
  }
}

/** A conversion result is cached by its key alone, so the key must name everything that shapes the result. */
export function conversionKey (...parts: readonly string[]): string {
  return digest(...parts)
}

function digest (...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 32)
}
