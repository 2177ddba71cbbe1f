import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Content, FileInfo, ReplaceOptions, StagedContent, Storage } from '../../types/storage.js'
import { heard } from '../readable.js'
import { isSafeFileId } from '../security/file-id.js'
import { sliceOf, validExtension } from './file-info.js'
import { memoryState } from './memory-state.js'

const CHUNK = 64 * 1024

/** Documents in the memory of this process, for tests and demonstrations: they end with it. */
export function memoryStorage (): Required<Omit<Storage, 'ready' | 'revoke' | 'close'>> {
  const files = new Map<string, { info: FileInfo, bytes: Buffer }>()
  const staged = new WeakMap<Content, Buffer>()
  // Revisions of two processes must not be mistaken for each other: the document server keeps what it knows of a key.
  const tag = randomUUID().slice(0, 8)
  let revisions = 0
  const { forget, ...state } = memoryState()

  return {
    state,

    async stat (fileId) {
      return find(fileId)?.info ?? null
    },

    async read (fileId, range) {
      const file = find(fileId)
      if (!file) return null
      const { start, length } = sliceOf(file.info.size, range)
      return { info: file.info, body: bodyOf(file.bytes.subarray(start, start + length)) }
    },

    async create (extension, content) {
      heard(content)
      return (await store(randomUUID(), validExtension(extension), content, {}))!
    },

    async stage (_fileId, content) {
      heard(content)
      const bytes = await bytesOf(content)
      const taken: StagedContent = { size: bytes.length, discard: async () => { staged.delete(taken) }, [Symbol.asyncIterator]: () => bodyOf(bytes)[Symbol.asyncIterator]() }
      staged.set(taken, bytes)
      return taken
    },

    async replace (fileId, content, { extension, ...options } = {}) {
      heard(content)
      const file = find(fileId)
      return file ? await store(fileId, extension === undefined ? file.info.extension : validExtension(extension), content, options) : null
    },

    async remove (fileId) {
      forget(fileId)
      return files.delete(fileId)
    }
  }

  function find (fileId: string) {
    return isSafeFileId(fileId) ? files.get(fileId) : undefined
  }

  async function store (fileId: string, extension: string, content: Content, options: ReplaceOptions): Promise<FileInfo | null> {
    const bytes = staged.get(content) ?? await bytesOf(content)
    if (!isExpected(fileId, options)) return null
    const revision = `${tag}.${(++revisions).toString(36)}`
    const info = Object.freeze({ fileId, extension, size: bytes.length, modifiedAt: new Date(), revision })
    await options.beforePublish?.(info)
    if (!isExpected(fileId, options)) return null
    files.set(fileId, { info, bytes })
    return info
  }

  function isExpected (fileId: string, { ifRevision }: ReplaceOptions): boolean {
    return ifRevision === undefined || files.get(fileId)?.info.revision === ifRevision
  }
}

/** Copies: whoever gave the bytes may use their buffer again. */
async function bytesOf (content: Content): Promise<Buffer> {
  if (content instanceof Uint8Array) return Buffer.from(content)
  const chunks: Buffer[] = []
  for await (const chunk of content) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

/** Copies: whoever reads may change what they get. */
function bodyOf (bytes: Buffer): Readable {
  let position = 0
  return new Readable({
    read () {
      const chunk = bytes.subarray(position, position + CHUNK)
      position += chunk.length
      this.push(chunk.length > 0 ? Buffer.from(chunk) : null)
    }
  })
}
