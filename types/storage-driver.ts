// For authors of storages: `fastify-onlyoffice/storage`.
import type { Readable } from 'node:stream'
import type { ByteRange } from './storage.js'

/** Content that never changes once it is written. */
export interface StoredBlob {
  /** At most 64 letters, digits and hyphens. */
  readonly name: string
  /** Bytes. */
  readonly size: number
}

/** The record of a document as it was last set. */
export interface StoredRecord {
  /** The JSON value that was set; `undefined` if it is damaged. */
  readonly record: unknown
  /** Opaque. Every change gives the record one that it never had before. */
  readonly etag: string
  /**
   * When it was set, by one clock for all instances, such as the database's. Replaced contents are deleted a quarter of
   * an hour later; without it, they stay.
   */
  readonly modifiedAt?: Date | undefined
}

/**
 * Where documents are kept: everything that `documentStorage` needs. Each document is one record, a JSON value that is
 * changed by compare-and-set, and immutable blobs that the record names. A `fileId` is 1 to 200 bytes of text that can
 * be the name of a file, or `-` for blobs of no document.
 *
 * `storageConformance` of `fastify-onlyoffice/conformance` tests an implementation.
 */
export interface StorageDriver {
  /** Awaited before any other method is called, and again after it has rejected. */
  ready? (): Promise<void>

  /** Resolves to `null` if the document has no record. */
  get (fileId: string): Promise<StoredRecord | null>

  /**
   * Sets the record, or removes it if it is `null`. Durable once resolved. Resolves to the new ETag. Resolves to
   * `null` and has changed nothing if the record has another ETag than `ifMatch`, where `null` means that there must be
   * none. If it rejects, the record may have been set, or may be shortly.
   *
   * A driver may remove a record whatever its ETag is, and resolve to `null` if somebody has set it meanwhile.
   */
  set (fileId: string, record: object | null, ifMatch: string | null): Promise<string | null>

  /**
   * Stores content under a new name. Durable once it resolves. If it rejects, it leaves nothing behind.
   *
   * @throws the error of `content`.
   */
  write (fileId: string, content: AsyncIterable<Uint8Array>): Promise<StoredBlob>

  /** The bytes of a blob, or a range of them, which is within it; `null` if there is no such blob. */
  read (fileId: string, blob: StoredBlob, range?: ByteRange): Promise<Readable | null>

  /** Deletes a blob, if it exists. */
  drop (fileId: string, name: string): Promise<void>

  /** The fileIds of all documents that have a record. */
  list (): AsyncIterable<string>

  /**
   * A URL that a blob can be fetched from, http or https, which contains all credentials that it needs, and expires.
   * The download action then redirects to it instead of sending the content itself. The document server must be able
   * to reach it. Document servers from 7.2 to 8.3 send their `Authorization` header there, which stores refuse beside a
   * signature: a presigned URL needs 9.0 or later.
   */
  url? (fileId: string, blob: StoredBlob): Promise<string>

  /** Releases resources. `close()` of the storage calls it. */
  close? (): Promise<void>
}
