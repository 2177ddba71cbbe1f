import type {
  EditorStorage, StorageContent, StoredDocument, StoredVersion, VersionKeepOptions
} from '../../types/storage.js'
import type { StorageDriver, StoredBlob } from '../../types/storage-driver.js'
import { isObject } from '../util/validate.js'

/** A driver, and what only drivers of this package need. */
export interface Driver extends Omit<StorageDriver, 'write'> {
  ready (): Promise<void>
  /** `like`: fileId of a document that has the same readers. */
  write (fileId: string, content: StorageContent, like?: string): Promise<StoredBlob>
  /** A fileId that no document has, for a new one: by default a random UUID. */
  newFileId? (): string
}

/** Blobs of no document: what was staged for a malformed fileId, and what a start tries. */
export const NOWHERE = '-'

/**
 * Content that is stored but not visible yet. The other methods of the same storage publish it without reading it
 * again. Iterating over it reads the content.
 */
export interface StagedContent extends AsyncIterable<Uint8Array> {
  /** Bytes. */
  readonly size: number
  /** Deletes the content unless it has been published. Never rejects. */
  discard (): Promise<void>
}

/** A JSON value that is kept beside a file. */
export interface StateRecord {
  /** What was passed to `set`. */
  readonly value: unknown
  /** Opaque. It changes with every `set`. */
  readonly version: string
}

/** The record of a file. */
export interface ListedStateRecord extends StateRecord {
  readonly fileId: string
}

/**
 * One small JSON record for each file, shared by all instances of the application. It tells which editing sessions of a
 * file are live and which saves were stored; it contains no content. It is deleted together with its file.
 */
export interface StateStore {
  /**
   * Compare and set: stores the value if the record still has this version, where `null` means that there is no record.
   * Resolves to the new version once it is durable. Resolves to `null` if the record has another version, or the
   * `fileId` is malformed. If it rejects, the value may have been stored; the caller reads the record again.
   */
  set (fileId: string, value: unknown, version: string | null): Promise<string | null>
  /**
   * Iterates over all records, each once and in any order, as `snapshot` has them. A record that is set or
   * deleted meanwhile may be missing, or be as it was. It reads a few at a time, as the caller proceeds: there may be
   * very many.
   */
  list (): AsyncIterable<ListedStateRecord>
}

/** A file and its record as they were at one moment. */
export interface FileSnapshot {
  /** `null` if there is no such file. */
  readonly info: StoredDocument | null
  /** `null` if there is no record. */
  readonly record: StateRecord | null
}

/** Options of `DocumentStore.commit`. */
export interface CommitOptions {
  /**
   * Of the new content.
   *
   * @default that of the present content
   */
  readonly fileType?: string
  /** Replaces only this revision of the file. */
  readonly ifRevision: string
  /** Replaces only this version of its record; `null`: there is none. */
  readonly ifRecordVersion: string | null
  /**
   * Called with the info that `stat` is going to return. What it returns, a JSON value, becomes the record of the file.
   */
  readonly record: (info: StoredDocument) => unknown
  /**
   * Called with that info and with the newest version of the file, `null` if it has none. The replaced content is kept
   * with what it returns, as by `versions.keep`.
   *
   * @default the replaced content is not kept
   */
  readonly keep?: (info: StoredDocument, newest: StoredVersion | null) => VersionKeepOptions
  /**
   * Removes versions that exceed the limits, after the replaced content has been kept, except the newest one: first
   * those that are too old; then, while there are too many, the oldest of those that two others of their `session`
   * follow; then the oldest. It may wait until there are 16 too many, and remove a few at a time. A labelled version
   * stays and does not count as one of `keep`, but with its bytes.
   *
   * @default no version is removed
   */
  readonly prune?: VersionLimits
}

/** What `DocumentStore.commit` has stored. */
export interface Committed {
  readonly info: StoredDocument
  /** Of the record. */
  readonly recordVersion: string
}

/** Where the content of a file can be fetched from. */
export interface FileUrl {
  /** Describes the content at `url`. */
  readonly info: StoredDocument
  /** http or https. It contains all credentials that it needs, and expires. */
  readonly url: string
}

/** How much is kept of a file. */
export interface VersionLimits {
  /** Number of versions. */
  readonly keep: number
  /** Of all contents and changes together. */
  readonly maxBytes: number
  /** Versions that were kept earlier are removed. */
  readonly keptSince: Date
}

/** What every storage does for the plugin, besides what it does for applications. */
export interface DocumentStore extends EditorStorage {
  /**
   * Replaces a file and its record in one atomic write, and keeps the replaced content as a version in the same write,
   * if `keep` is given. Durable once resolved. Resolves to `null`, and changes nothing, if the file has another
   * revision or the record another version. If it rejects, all of it may have been stored, or will be shortly, or
   * nothing; the caller takes a snapshot to find out.
   *
   * The functions in `options` may be called again when another instance has changed the file or its record meanwhile.
   *
   * @throws InvalidNameError (`FST_EDITOR_INVALID_NAME`): `fileType` is not 1 to 16 letters or digits.
   * @throws the error of `content`, of `keep().changes`, or of a function in `options`.
   *
   * @internal
   */
  commit (fileId: string, content: StorageContent, options: CommitOptions): Promise<Committed | null>

  /**
   * A file and its record as they are at one moment.
   *
   * @internal
   */
  snapshot (fileId: string): Promise<FileSnapshot>

  /**
   * Stores content for `fileId` without publishing it. Durable once resolved. If it rejects, nothing is left behind.
   *
   * @throws the error of `content`.
   *
   * @internal
   */
  stage (fileId: string, content: StorageContent): Promise<StagedContent>

  /**
   * Resolves to a URL of the present content, or to `null` if there is no such file. It works for as long as it is
   * valid, even if the content is replaced meanwhile.
   *
   * @internal
   */
  downloadUrl? (fileId: string): Promise<FileUrl | null>

  /** @internal */
  readonly state: StateStore
}

/** For the error. */
export const NO_STORAGE = 'must be what fileStorage, memoryStorage, s3Storage, postgresStorage or documentStorage returns'

const METHODS = ['ready', 'stat', 'read', 'create', 'replace', 'remove', 'stage', 'commit', 'snapshot']

export function isDocumentStore (value: unknown): value is DocumentStore {
  return isObject(value) && METHODS.every(name => typeof value[name] === 'function') &&
    isObject(value['state']) && isObject(value['versions'])
}
