import type { Readable } from 'node:stream'

/** Describes the content of a stored file. */
export interface StoredDocument {
  /** Identifies the document, whatever its extension. */
  readonly fileId: string
  /** In lower case, without the dot: `docx`. */
  readonly fileType: string
  /** Bytes. */
  readonly size: number
  /** When this content was stored. */
  readonly modifiedAt: Date
  /** Opaque. It changes whenever the content is replaced, and is the same for all instances. */
  readonly revision: string
}

/** Bytes `start` to `end` of a file, both included, counted from 0. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The content of a file: all bytes, or a stream of them. */
export type StorageContent = Uint8Array | AsyncIterable<Uint8Array>

/**
 * Content that an application passes for a document. A `Blob` may be the `File` of a form. A stream may be a Node.js
 * stream, a web stream or any other async iterable. It must be unread, and yield bytes, not text.
 */
export type DocumentContent = StorageContent | ArrayBuffer | Blob

/** One version of a file that is being read. */
export interface StorageReadResult {
  /** Describes the whole file, also for a range. */
  readonly info: StoredDocument
  /** The bytes of the file, or of the requested range. */
  readonly body: Readable
}

export interface StorageCreateOptions {
  /**
   * The ID of the file.
   *
   * @default a new one
   */
  readonly fileId?: string | undefined
}

/** Options of `EditorStorage.replace`. */
export interface StorageReplaceOptions {
  /**
   * Format of the new content. A directory stores the file under this extension from now on.
   *
   * @default the format of the present content
   */
  readonly fileType?: string | undefined
  /**
   * Replaces only this revision. If the file has another revision at the moment of publishing, `replace` changes
   * nothing and resolves to `null`.
   *
   * @default any revision is replaced
   */
  readonly ifRevision?: string | undefined
}

/** A kept content of a file: an earlier one, or the present one. */
export interface StoredVersion {
  /**
   * 1 for the first version that was kept of a file; each later version has the next number, even if earlier ones were
   * removed.
   */
  readonly version: number
  /** The file's `StoredDocument.revision` while it had this content. */
  readonly revision: string
  /** Format of this content, in lower case, without the dot: `docx`. */
  readonly fileType: string
  /** Bytes of the content. */
  readonly size: number
  /** When this content was stored in the file. */
  readonly modifiedAt: Date
  /** When this version was kept. */
  readonly keptAt: Date
  /** Bytes of the changes; `null` if there are none. */
  readonly changesSize: number | null
  /** The `details` of `keep`; `null` if there were none. */
  readonly details: unknown
  /** The label that `label` set. */
  readonly label?: VersionLabel
}

/** A name that somebody gave a version. */
export interface VersionLabel {
  /** 1 to 100 characters, without control characters. */
  readonly name: string
  /** At most 500 characters. */
  readonly comment?: string | undefined
}

/** Options of `VersionStore.keep`. */
export interface VersionKeepOptions {
  /**
   * A JSON value to keep with the version; it is part of every listing. Every storage accepts up to 64 KiB of JSON
   * text.
   *
   * @default null
   */
  readonly details?: unknown
  /**
   * A second content to keep with the version, such as the document server's data about its changes.
   *
   * @default none
   */
  readonly changes?: StorageContent | undefined
  /**
   * The editing session that stored the content.
   *
   * @default none
   */
  readonly session?: string | undefined
  /**
   * A whole number from 0 to 4. If versions exceed the limits, those with the lowest priority are removed first, the
   * oldest first.
   *
   * @default 0
   */
  readonly priority?: number | undefined
}

/** Options of `VersionStore.list`. */
export interface ListVersionsOptions {
  /**
   * How many of the newest versions the caller needs. A storage may return more.
   *
   * @default all versions
   */
  readonly newest?: number | undefined
}

/** The content or the changes of a version. */
export interface VersionReadResult {
  readonly version: StoredVersion
  /** The bytes of the content, or of the changes. */
  readonly body: Readable
}

/**
 * Earlier contents of files. The versions of a file survive when its content is replaced, in whatever format, and are
 * removed with the file. No method changes the file. If a `fileId` is malformed or names no file, that is not an error:
 * it has no versions. The plugin decides which versions are kept and removed.
 */
export interface VersionStore {
  /**
   * Resolves to the versions of a file, oldest first. Every save asks for the newest one, so that must take the same
   * time however many versions there are.
   */
  list (fileId: string, options?: ListVersionsOptions): Promise<readonly StoredVersion[]>

  /**
   * Keeps the present content of a file as a version, if the file has this revision. Resolves to `null`, and keeps
   * nothing, if the file has another revision or does not exist. Durable once resolved. If it rejects, the version may
   * have been kept.
   *
   * A revision is kept only once: if the newest version already has this revision, it keeps its number, and these
   * `details` and `changes` replace its own.
   *
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `details` cannot be written as JSON, or exceeds what the
   * storage allows.
   * @throws the error of `changes`.
   */
  keep (fileId: string, revision: string, options?: VersionKeepOptions): Promise<StoredVersion | null>

  /**
   * Resolves to the content of a version, or to its changes; `null` if there is no such version, it has no changes, or
   * its content is damaged. A version that is removed while it is being read stays readable.
   */
  read (fileId: string, version: number, part?: 'content' | 'changes'): Promise<VersionReadResult | null>

  /**
   * Removes versions. Durable once resolved. Unknown numbers are ignored.
   *
   * The history numbers the present content after the newest kept version. So if an application removes that version,
   * the present content is shown under its number until the next save.
   */
  remove (fileId: string, versions: readonly number[]): Promise<void>

  /**
   * Labels a version; `null` removes its label. Durable once resolved. Resolves to whether the file has this version.
   * The label stays if the same revision is kept again.
   */
  label (fileId: string, version: number, label: VersionLabel | null): Promise<boolean>
}

/**
 * Stores documents. `app.editorStorage` is one; `fileStorage`, `memoryStorage`, `s3Storage`, `postgresStorage` and
 * `documentStorage` create one. A malformed `fileId` is never an error: it is treated as a file that does not exist.
 */
export interface EditorStorage {
  /** Awaited at registration. If it rejects, so does the registration. */
  ready (): Promise<void>

  /** Resolves to the description of a file, or to `null` if there is no such file. */
  stat (fileId: string): Promise<StoredDocument | null>

  /**
   * Resolves to the content of a file, or to `null` if there is no such file. The content stays readable while the file
   * is replaced.
   *
   * @throws RangeError: `range` is not within the file.
   */
  read (fileId: string, range?: ByteRange): Promise<StorageReadResult | null>

  /**
   * Stores the content as a new file. By default it gets a new ID that needs no encoding in a URL. Durable once
   * resolved. If it rejects, nothing is left behind.
   *
   * @throws NameTakenError (`FST_EDITOR_NAME_TAKEN`): there is a file with the given `fileId`.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): the given `fileId` is malformed.
   * @throws InvalidNameError (`FST_EDITOR_INVALID_NAME`): `fileType` is not 1 to 16 letters or digits.
   * @throws the error of `content`.
   */
  create (fileType: string, content: StorageContent, options?: StorageCreateOptions): Promise<StoredDocument>

  /**
   * Replaces the content of a file, atomically: a reader sees either the old content or the new one. Durable once
   * resolved. If it rejects, the old content stays. If there is no such file, it resolves to `null` without reading
   * `content`.
   *
   * @throws InvalidNameError (`FST_EDITOR_INVALID_NAME`): `fileType` is not 1 to 16 letters or digits.
   * @throws NameTakenError (`FST_EDITOR_NAME_TAKEN`): another document already has the name that the file would get
   * with the new extension. Only in storages whose names contain the extension.
   * @throws the error of `content`.
   */
  replace (fileId: string, content: StorageContent, options?: StorageReplaceOptions): Promise<StoredDocument | null>

  /** Deletes a file, its record and its versions. Resolves to whether it existed. The plugin never calls it. */
  remove (fileId: string): Promise<boolean>

  readonly versions: VersionStore

  /** Releases resources. The plugin calls it for its default storage only. */
  close? (): Promise<void>
}

/** Options of a storage's sweep. */
export interface StorageSweepOptions {
  /**
   * Milliseconds: contents that are younger stay. Choose more than it takes to store and publish content.
   *
   * @default 86_400_000, one day
   */
  readonly olderThan?: number | undefined
  /** Ends the sweep early: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}
