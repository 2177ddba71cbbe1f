import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { isUint8Array } from 'node:util/types'
import type { StorageContent } from '../../types/storage.js'
import { assertBytes } from '../util/streams.js'
import { assertOptions } from '../util/validate.js'
import type { DocumentStore, Driver } from './contract.js'
import { createDocumentStore } from './document-store.js'
import { sliceOf } from './call-options.js'

/** Takes no options. */
type MemoryStorageOptions = Readonly<Record<string, never>>

const CHUNK_BYTES = 64 * 1024

/**
 * Stores documents, their records and versions in the memory of this process, for tests and demonstrations: they are
 * lost when it ends.
 *
 * @example
 * ```js
 * import { readFile } from 'node:fs/promises'
 * import editor, { memoryStorage } from 'fastify-onlyoffice'
 *
 * const storage = memoryStorage()
 * await app.register(editor, { ...options, storage })
 * const { fileId } = await storage.create('docx', await readFile('Report.docx'))
 * ```
 */
export function memoryStorage (
  options: MemoryStorageOptions = {}
): Omit<DocumentStore, 'downloadUrl' | 'close'> {
  assertOptions({}, options)
  const { downloadUrl, ...storage } = createDocumentStore(memoryDriver()).storage
  return storage
}

/** Keeps everything in memory. */
export function memoryDriver (): Driver {
  const records = new Map<string, { readonly text: string, readonly etag: string, readonly modifiedAt: Date }>()
  const blobs = new Map<string, Buffer>()
  return {
    async ready () {},

    async get (fileId) {
      const found = records.get(fileId)
      return found ? { ...found, record: JSON.parse(found.text) } : null
    },

    async set (fileId, record, ifMatch) {
      await setImmediate() // whoever writes all the time must leave others a turn
      if ((records.get(fileId)?.etag ?? null) !== ifMatch) return null
      const etag = randomUUID()
      if (record === null) records.delete(fileId)
      else records.set(fileId, { text: JSON.stringify(record), etag, modifiedAt: new Date() })
      return etag
    },

    async write (_fileId, content) {
      const name = randomUUID()
      const bytes = await bytesOf(content)
      blobs.set(name, bytes)
      return { name, size: bytes.length }
    },

    async read (_fileId, { name }, range) {
      const bytes = blobs.get(name)
      if (!bytes) return null
      const { start, length } = sliceOf(bytes.length, range)
      return bodyOf(bytes.subarray(start, start + length))
    },

    async drop (_fileId, name) {
      blobs.delete(name)
    },

    async * list () {
      yield * [...records.keys()]
    }
  }
}

/** Copies the bytes, because the caller may reuse its buffer. */
async function bytesOf (content: StorageContent): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of isUint8Array(content) ? [content] : content) {
    assertBytes(chunk)
    chunks.push(Buffer.from(chunk))
  }
  return Buffer.concat(chunks)
}

/** Copies the bytes, because the reader may change the chunks. */
function bodyOf (bytes: Buffer): Readable {
  let position = 0
  return new Readable({
    read () {
      const chunk = bytes.subarray(position, position + CHUNK_BYTES)
      position += chunk.length
      this.push(chunk.length > 0 ? Buffer.from(chunk) : null)
    }
  })
}
