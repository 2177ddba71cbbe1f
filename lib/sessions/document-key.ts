import type { FileInfo } from '../../types/storage.js'
import { digest } from '../digest.js'

type Content = Pick<FileInfo, 'fileId' | 'revision'>

/**
 * The document keys of one service at one document server: `<service and file>.<revision>.<document server>`. The first part
 * separates services that share a document server, the last one separates document servers that edit the same files.
 */
export interface DocumentKeys {
  /**
   * The document key for one content of one file: the same on every instance of the service, and different for every file and
   * every content. `finished` has the keys under which the document server accepts no more edits although the content is the
   * same. A key has at most 128 characters of `[0-9A-Za-z._=-]`: the editor fails silently with others.
   * Source: docs/document-server-protocol.md#the-document-key
   */
  of (content: Content, finished?: ReadonlySet<string>): string
  /** Whether a key was made for this file, for any content and any document server. */
  isForFile (fileId: string, key: string): boolean
  /** Whether a key was made for this content, for any document server. */
  isForContent (content: Content, key: string): boolean
  /** Whether a key was made for this file and another document server. */
  isForAnotherServer (fileId: string, key: string): boolean
}

/** `service`: URL of its handler. `server`: origin of the document server. */
export function documentKeys (service: string, server: string): DocumentKeys {
  const serverPart = digest(server).slice(0, 8)
  const filePrefix = (fileId: string) => `${digest(service, fileId)}.`
  const contentPrefix = ({ fileId, revision }: Content) => `${filePrefix(fileId)}${digest(revision)}.`

  return {
    of (content, finished = new Set()) {
      const first = contentPrefix(content) + serverPart
      let key = first
      for (let count = 1; finished.has(key); count++) key = `${first}.${count}`
      return key
    },
    isForFile: (fileId, key) => key.startsWith(filePrefix(fileId)),
    isForContent: (content, key) => key.startsWith(contentPrefix(content)),
    isForAnotherServer: (fileId, key) => key.startsWith(filePrefix(fileId)) && key.split('.')[2] !== serverPart
  }
}
