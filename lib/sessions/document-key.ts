import { createHash } from 'node:crypto'
import type { FileInfo } from '../../types/storage.js'

type Content = Pick<FileInfo, 'fileId' | 'revision'>

/**
 * The document keys of one service at one document server: `<scope and file>.<revision>.<server>`. `scope` keeps services that
 * share a document server apart, `server` two document servers that edit the same files.
 */
export interface DocumentKeys {
  /**
   * The document key of one content of one file: the same on every instance of a service, different for every file
   * and every content. `used` are keys the document server takes no more edits under, though the content is the same.
   * At most 128 characters of `[0-9A-Za-z._=-]`: others fail silently in the editor.
   * Source: docs/document-server-protocol.md#the-document-key
   */
  of (content: Content, used?: ReadonlySet<string>): string
  /** Whether a key is one of these for the file, whatever the content and the document server. */
  isFor (fileId: string, key: string): boolean
  /** Whether a key of the file is for this very content, at whatever document server. */
  isOf (content: Content, key: string): boolean
  /** Whether a key of the file was given for another document server. */
  isOfAnotherServer (fileId: string, key: string): boolean
}

export function documentKeys (scope: string, server: string): DocumentKeys {
  const here = digest(server).slice(0, 8)
  const ofFile = (fileId: string) => `${digest(scope, fileId)}.`
  const ofContent = ({ fileId, revision }: Content) => `${ofFile(fileId)}${digest(revision)}.`

  return {
    of (content, used = new Set()) {
      const first = ofContent(content) + here
      let key = first
      for (let again = 1; used.has(key); again++) key = `${first}.${again}`
      return key
    },
    isFor: (fileId, key) => key.startsWith(ofFile(fileId)),
    isOf: (content, key) => key.startsWith(ofContent(content)),
    isOfAnotherServer: (fileId, key) => key.startsWith(ofFile(fileId)) && key.split('.')[2] !== here
  }
}

/** A conversion result is cached by its key alone, so the key must name everything that shapes the result. */
export function conversionKey (...parts: readonly string[]): string {
  return digest(...parts)
}

export function digest (...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 32)
}
