import type { FileInfo } from '../../types/storage.js'
import { digest } from '../digest.js'

type Content = Pick<FileInfo, 'fileId' | 'revision'>

/**
 * The document keys of one application at one document server: `<application and file>.<revision>.<document server>`. The first
 * part separates applications that share a document server, the last one separates document servers that edit the same files.
 */
export interface DocumentKeys {
  /**
   * The document key for one content of one file: the same on every instance of the application, and different for every file
   * and every content. `finished` has the keys that had their final save: the document server accepts no more edits under them,
   * even if the content is the same. A key has at most 128 characters of `[0-9A-Za-z._=-]`: the editor fails silently with others.
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

/** `handlerUrl`: the handler's public URL, which identifies the application. `server`: origin of the document server. */
export function documentKeys (handlerUrl: string, server: string): DocumentKeys {
  const serverPart = digest(server).slice(0, 8)
  const filePrefix = (fileId: string) => `${digest(handlerUrl, fileId)}.`
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
