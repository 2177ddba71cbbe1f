import type { Readable } from 'node:stream'

/** Describes one version of a stored file. */
export interface StoredDocument {
  /** Identifies the document, whatever its extension. */
  readonly fileId: string
  /** In lower case, without the dot: `docx`. */
  readonly fileType: string
  /** Bytes. */
  readonly size: number
  /** When this version was stored. */
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
 * What an application passes for a document. A `Blob` may be the `File` of a form. A stream may be one of Node.js or of
 * the web, or any other async iterable. It must not have been read before, and must consist of bytes: without an
 * encoding.
 */
export type DocumentContent = StorageContent | ArrayBuffer | Blob

/** One version of a file that is being read. */
export interface StorageReadResult {
  /** Describes the version that `body` contains: always the whole file, also for a range. */
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
   * Of the new content. A directory stores it under this extension from now on.
   *
   * @default that of the present content
   */
  readonly fileType?: string | undefined
  /**
   * Replaces only this revision: if the file has another revision at the moment of publishing, `replace` changes
   * nothing and resolves to `null`.
   *
   * @default any revision is replaced
   */
  readonly ifRevision?: string | undefined
}

/** A content that a file has, or had, as it was kept. */
export interface StoredVersion {
  /**
   * 1 for the first version that was kept of a file, then always one more than the last, even if that one was removed.
   */
  readonly version: number
  /** The file's `StoredDocument.revision` while it had this content. */
  readonly revision: string
  /** Of the file while it had this content, in lower case, without the dot: `docx`. */
  readonly fileType: string
  /** Bytes of the content. */
  readonly size: number
  /** When this content was stored in the file. */
  readonly modifiedAt: Date
  /** When it was kept. */
  readonly keptAt: Date
  /** Bytes of the changes; `null` if there are none. */
  readonly changesSize: number | null
  /** The `details` that were passed to `keep`; `null` if there were none. */
  readonly details: unknown
  /** What `label` has set. */
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
   * A JSON value that is kept with the version and is part of every listing. Every storage takes up to 64 KiB of JSON
   * text.
   *
   * @default null
   */
  readonly details?: unknown
  /**
   * A second content that is kept with the version, such as the document server's data about its changes.
   *
   * @default none
   */
  readonly changes?: StorageContent | undefined
  /**
   * Names the editing session that has stored the content.
   *
   * @default none
   */
  readonly session?: string | undefined
  /**
   * A whole number from 0 to 4. Of the versions that exceed the limits, those with the lowest one are removed first,
   * and of these the oldest.
   *
   * @default 0
   */
  readonly priority?: number | undefined
}

/** Options of `VersionStore.list`. */
export interface ListVersionsOptions {
  /**
   * The caller needs no more than so many of the newest versions. A storage may resolve to more.
   *
   * @default all versions
   */
  readonly newest?: number | undefined
}

/** One content of a version that is being read. */
export interface VersionReadResult {
  readonly version: StoredVersion
  /** The bytes of the content, or of the changes. */
  readonly body: Readable
}

/**
 * Earlier contents of files. The versions of a file survive its replacement, in whatever format, and are removed
 * together with it. No method changes the file. A `fileId` that is malformed or names no file is never an error: it has
 * no versions. The plugin decides what is kept and removed.
 */
export interface VersionStore {
  /**
   * Resolves to the versions of a file, oldest first. A save asks for the newest one: that must cost the same, however
   * many there are.
   */
  list (fileId: string, options?: ListVersionsOptions): Promise<readonly StoredVersion[]>

  /**
   * Keeps the present content of a file as a version, if the file has this revision. Durable once resolved. Resolves to
   * `null`, and keeps nothing, if the file has another revision or there is no such file. If it rejects, the version
   * may have been kept.
   *
   * A revision is kept once: if the newest kept version already has this revision, that version keeps its number, and
   * gets these `details` and `changes` instead of those it had.
   *
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `details` cannot be written as JSON, or takes more than
   * the storage allows.
   * @throws the error of `changes`.
   */
  keep (fileId: string, revision: string, options?: VersionKeepOptions): Promise<StoredVersion | null>

  /**
   * Resolves to the content of a version, or to its changes. Resolves to `null` if there is no such version or it has
   * no changes, or if its content is damaged. What is being read stays readable while the version is removed.
   */
  read (fileId: string, version: number, part?: 'content' | 'changes'): Promise<VersionReadResult | null>

  /**
   * Removes versions. Durable once resolved. Numbers that the file has no version of are ignored.
   *
   * The history counts on from the newest kept version: if an application removes that one, the present content is
   * shown under its number until the next save.
   */
  remove (fileId: string, versions: readonly number[]): Promise<void>

  /**
   * Labels a version, or removes its label: `null`. Durable once resolved. Resolves to whether the file has this
   * version. The label stays when the same revision is kept again.
   */
  label (fileId: string, version: number, label: VersionLabel | null): Promise<boolean>
}

/**
 * Stores documents: what `fileStorage`, `memoryStorage`, `s3Storage`, `postgresStorage` and `documentStorage` return,
 * and what `app.editorStorage` is. A malformed `fileId` is treated as a file that does not exist, never as an error.
 */
export interface EditorStorage {
  /** Awaited at registration, which rejects if it rejects. */
  ready (): Promise<void>

  /** Resolves to the info of a file, or to `null` if there is none. */
  stat (fileId: string): Promise<StoredDocument | null>

  /**
   * Resolves to one version of a file, or to `null` if there is none. The version stays readable while the file is
   * replaced.
   *
   * @throws RangeError: `range` is not within the file.
   */
  read (fileId: string, range?: ByteRange): Promise<StorageReadResult | null>

  /**
   * Stores the content as a new file, under a new ID that needs no encoding in a URL. Durable once resolved. If it
   * rejects, nothing is left behind.
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
   * with the new extension. Only for storages whose names depend on the extension.
   * @throws the error of `content`.
   */
  replace (fileId: string, content: StorageContent, options?: StorageReplaceOptions): Promise<StoredDocument | null>

  /** Deletes a file, its record and its versions. Resolves to whether it existed. The plugin never calls it. */
  remove (fileId: string): Promise<boolean>

  readonly versions: VersionStore

  /** Releases resources. The plugin calls it for its default storage only. */
  close? (): Promise<void>
}

/** What a storage may remove in a sweep. */
export interface StorageSweepOptions {
  /**
   * Milliseconds: younger contents stay. Content that is being stored, or waits to be published, must be younger.
   *
   * @default 86_400_000, one day
   */
  readonly olderThan?: number | undefined
  /** Ends the sweep early; it then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}
