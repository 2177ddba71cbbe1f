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
  /** Opaque. Every change gives the record a new ETag, never one that it had before. */
  readonly etag: string
  /**
   * When it was set, by one clock for all instances, such as the database's. Replaced contents are deleted a quarter of
   * an hour after this time; if it is absent, they stay.
   */
  readonly modifiedAt?: Date | undefined
}

/**
 * Keeps documents: everything that `documentStorage` needs. Each document is one record, a JSON value that changes by
 * compare-and-set, and immutable blobs that the record names. A `fileId` is 1 to 200 bytes of text that can be a file
 * name, or `-` for blobs that belong to no document.
 *
 * `storageConformance` of `fastify-onlyoffice/conformance` tests an implementation.
 */
export interface StorageDriver {
  /** Awaited before any other method. If it rejects, it is called again before the next one. */
  ready? (): Promise<void>

  /** Resolves to `null` if the document has no record. */
  get (fileId: string): Promise<StoredRecord | null>

  /**
   * Sets the record, or removes it with `null`, if the present record has the ETag `ifMatch`; `ifMatch: null` means
   * that there must be no record. Resolves to the new ETag, or to `null`, without a change, if the ETag differs.
   * Durable once resolved. If it rejects, the record may have been set, or may be set shortly.
   *
   * When it removes a record, a driver may ignore the ETag, and resolve to `null` if another instance has set the
   * record meanwhile.
   */
  set (fileId: string, record: object | null, ifMatch: string | null): Promise<string | null>

  /**
   * Stores content under a new name. Durable once resolved. If it rejects, it leaves nothing behind.
   *
   * @throws the error of `content`.
   */
  write (fileId: string, content: AsyncIterable<Uint8Array>): Promise<StoredBlob>

  /** Resolves to the bytes of a blob, or of a range within it; `null` if there is no such blob. */
  read (fileId: string, blob: StoredBlob, range?: ByteRange): Promise<Readable | null>

  /** Deletes a blob if it exists. */
  drop (fileId: string, name: string): Promise<void>

  /** Yields the `fileId` of every document that has a record. */
  list (): AsyncIterable<string>

  /**
   * Resolves to an http or https URL from which the document server can fetch a blob; the URL contains all credentials,
   * and expires. The download action then redirects to it instead of sending the content itself. Presigned URLs need a
   * document server 9.0 or later: versions 7.2 to 8.3 also send their `Authorization` header, which object stores
   * refuse beside a signature.
   */
  url? (fileId: string, blob: StoredBlob): Promise<string>

  /** Releases resources. `close()` of the storage calls it. */
  close? (): Promise<void>
}
