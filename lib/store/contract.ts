import type { Readable } from 'node:stream'
import type {
  EditorStorage, StorageContent, StoredDocument, StoredVersion, VersionKeepOptions
} from '../../types/storage.js'
import type { StorageDriver, StoredBlob } from '../../types/storage-driver.js'
import { isObject } from '../util/validate.js'

/** A driver, with options that only drivers of this package need. */
export interface Driver extends Omit<StorageDriver, 'write'> {
  ready (): Promise<void>
  /** `like`: fileId of a document that has the same readers. */
  write (fileId: string, content: StorageContent, like?: string): Promise<StoredBlob>
  /** A fileId that no document has, for a new one: by default a random UUID. */
  newFileId? (): string
}

/**
 * The fileId for blobs of no document: content that was staged for a malformed fileId, and content that a start tries.
 */
export const NOWHERE = '-'

/**
 * Content that is stored but not visible yet. The other methods of the same storage publish it without reading it
 * again. Iterating over it reads the content.
 */
export interface StagedContent extends AsyncIterable<Uint8Array> {
  /** Names it in the storage, for `readStaged` of another instance. */
  readonly name?: string
  /** Bytes. */
  readonly size: number
  /** Deletes the content unless it has been published. Never rejects. */
  discard (): Promise<void>
}

/** A JSON value that the storage keeps with a file. */
export interface StateRecord {
  /** The value that was passed to `set`. */
  readonly value: unknown
  /** Opaque. It changes with every `set`. */
  readonly version: string
}

/** The record of a file. */
export interface ListedStateRecord extends StateRecord {
  readonly fileId: string
}

/**
 * One small JSON record per file, shared by all instances of the application. It contains the file's live editing
 * sessions and stored saves, but no content. It is deleted together with its file.
 */
export interface StateStore {
  /**
   * Compare and set: stores the value if the record still has this version, where `null` means that there is no record.
   * Resolves to the new version once it is durable, or to `null` if the record has another version or the `fileId` is
   * malformed. If it rejects, the value may have been stored: read the record again.
   */
  set (fileId: string, value: unknown, version: string | null): Promise<string | null>
  /**
   * Iterates over all records, each once and in any order, as `snapshot` returns them. A record that is set or deleted
   * meanwhile may be missing or out of date. It reads only a few at a time, as the caller proceeds, because there may
   * be very many.
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
   * Format of the new content.
   *
   * @default the format of the present content
   */
  readonly fileType?: string
  /** Replaces only this revision of the file. */
  readonly ifRevision: string
  /** Replaces only this version of its record; `null` means that there must be none. */
  readonly ifRecordVersion: string | null
  /** Called with the info that `stat` is going to return. Its result, a JSON value, becomes the record of the file. */
  readonly record: (info: StoredDocument) => unknown
  /**
   * Called with that info and with the newest version of the file, `null` if it has none. The replaced content is kept
   * with the result, as by `versions.keep`.
   *
   * @default the replaced content is not kept
   */
  readonly keep?: (info: StoredDocument, newest: StoredVersion | null) => VersionKeepOptions
  /**
   * Removes versions that exceed the limits, except the newest one, after the replaced content has been kept. Too old
   * versions go first. While there are still too many, versions that are followed by two others of their `session` go
   * next, then all others, always the oldest first. A storage may wait until there are 16 too many, and remove a few at
   * a time. A labelled version stays; `keep` does not count it, but its bytes count.
   *
   * @default no version is removed
   */
  readonly prune?: VersionLimits
}

/** The result of `DocumentStore.commit`. */
export interface Committed {
  readonly info: StoredDocument
  /** Version of the record. */
  readonly recordVersion: string
}

/** A URL of the content of a file. */
export interface FileUrl {
  /** Describes the content at `url`. */
  readonly info: StoredDocument
  /** An http or https URL. It contains all credentials, and expires. */
  readonly url: string
}

/** Limits of the kept versions of a file. */
export interface VersionLimits {
  /** Number of versions. */
  readonly keep: number
  /** Bytes of all contents and changes together. */
  readonly maxBytes: number
  /** Versions that were kept earlier are removed. */
  readonly keptSince: Date
}

/** The methods of every storage that only the plugin uses. */
export interface DocumentStore extends EditorStorage {
  /**
   * Replaces a file and its record in one atomic write, which also keeps the replaced content as a version if `keep` is
   * given. Durable once resolved. Resolves to `null`, and changes nothing, if the file has another revision or the
   * record another version. If it rejects, everything may have been stored, or will be shortly, or nothing: take a
   * snapshot to find out.
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
   * Reads what another instance has staged; `null` if it is not in this storage. Absent from a storage that says
   * nothing about the application's.
   *
   * @internal
   */
  readStaged? (fileId: string, content: StoredBlob): Promise<Readable | null>

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
