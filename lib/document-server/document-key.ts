import type { StoredDocument } from '../../types/storage.js'
import { digest } from '../util/text.js'

type Content = Pick<StoredDocument, 'fileId' | 'revision'>

/** Limits a key with a repetition number to 128 characters. */
const MAX_FILE_PART = 46

/** Replaces a fileId that is too long. It cannot be an encoded fileId: those have more characters. */
const OMITTED = '='

/**
 * The document keys of one application at one document server: `<application and file>.<revision>.<document
 * server>.<fileId>`. The first part separates applications that share a document server, and cannot be forged for
 * another file. The third part separates document servers that edit the same files. The last part identifies the file
 * of a key long after its session: see `fileIdOf`.
 */
export type DocumentKeys = ReturnType<typeof documentKeys>

/**
 * `handlerUrl` is the handler's public URL, which identifies the application. `server` is the origin of the document
 * server.
 */
export function documentKeys (handlerUrl: () => string, server: string) {
  const serverPart = digest(server).slice(0, 8)
  const filePrefix = (fileId: string) => `${digest(handlerUrl(), fileId)}.`
  const contentPrefix = ({ fileId, revision }: Content) => `${filePrefix(fileId)}${digest(revision)}.`

  return {
    /**
     * The document key for one content of one file: the same on every instance of the application, and different for
     * every file and every content. `finished` has the keys that had their final save: the document server accepts no
     * more edits under them, even if the content is the same. `unopened` and the keys before it could not be opened
     * there. A key has at most 128 characters of `[0-9A-Za-z._=-]`: the editor fails silently with others. Source:
     * emulator/docs/document-server-protocol.md#the-document-key
     */
    of (content: Content, finished: ReadonlySet<string> = new Set(), unopened = ''): string {
      const first = `${contentPrefix(content)}${serverPart}.${filePart(content.fileId)}`
      const keyOf = (count: number) => count === 0 ? first : `${first}.${count}`
      let count = unopened === first
        ? 1
        : unopened.startsWith(`${first}.`)
          ? Number(unopened.slice(first.length + 1)) + 1
          : 0
      while (finished.has(keyOf(count))) count++
      return keyOf(count)
    },
    /** Whether a key was made for this file, for any content and any document server. */
    isForFile: (fileId: string, key: string) => key.startsWith(filePrefix(fileId)),
    /** Whether a key was made for this content, for any document server. */
    isForContent: (content: Content, key: string) => key.startsWith(contentPrefix(content)),
    /** Whether a key was made for this file and another document server. */
    isForAnotherServer: (fileId: string, key: string) =>
      key.startsWith(filePrefix(fileId)) && key.split('.')[2] !== serverPart,
    /**
     * The file that a key of this application was made for. `undefined` if another application made the key, or if the
     * fileId does not fit into a key: its limit is 46 characters of `[0-9A-Za-z_-]`, or 33 bytes of any others.
     */
    fileIdOf (key: string): string | undefined {
      const fileId = decodedFilePart(key.split('.')[3])
      return fileId !== undefined && key.startsWith(filePrefix(fileId)) ? fileId : undefined
    }
  }
}

/** Keeps a fileId as it is, or encodes it in base64url with a leading `=`. */
function filePart (fileId: string): string {
  const part = /^[\w-]+$/.test(fileId) ? fileId : `=${Buffer.from(fileId).toString('base64url')}`
  return part.length <= MAX_FILE_PART ? part : OMITTED
}

function decodedFilePart (part = OMITTED): string | undefined {
  if (part === OMITTED) return undefined
  return part.startsWith('=') ? Buffer.from(part.slice(1), 'base64url').toString() : part
}
