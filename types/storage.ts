import type { Readable } from 'node:stream'

/** Describes one version of a stored file. */
export interface FileInfo {
  /** Identifies the document, whatever its extension. */
  readonly fileId: string
  /** In lower case, without the dot: `docx`. */
  readonly extension: string
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
export type Content = Uint8Array | AsyncIterable<Uint8Array>

/**
 * What an application passes for a document. A `Blob` may be the `File` of a form. A stream may be one of Node.js or of
 * the web, or any other async iterable. It must not have been read before, and must consist of bytes: without an
 * encoding.
 */
export type DocumentContent = Content | ArrayBuffer | Blob

/** One version of a file that is being read. */
export interface ReadResult {
  /** Describes the version that `body` contains: always the whole file, also for a range. */
  readonly info: FileInfo
  /** The bytes of the file, or of the requested range. */
  readonly body: Readable
}

/**
 * Content that is stored but not visible yet. `create` and `replace` of the same storage publish it without reading it
 * again. Iterating over it reads the content.
 *
 * @experimental
 */
export interface StagedContent extends AsyncIterable<Uint8Array> {
  /** Bytes. */
  readonly size: number
  /** Deletes the content unless it has been published. Never rejects. */
  discard (): Promise<void>
}

export interface CreateOptions {
  /**
   * The ID of the file. A storage that cannot choose it may ignore this: then a conflict copy that was stored
   * immediately before a crash is stored a second time.
   *
   * @default a new one
   */
  readonly fileId?: string
}

/** Options of `Storage.replace`. */
export interface ReplaceOptions {
  /**
   * Stores the content under this extension from now on.
   *
   * @default the extension that the file has
   */
  readonly extension?: string
  /**
   * Replaces only this revision: if the file has another revision at the moment of publishing, `replace` changes
   * nothing and resolves to `null`.
   *
   * @default any revision is replaced
   */
  readonly ifRevision?: string
  /**
   * The storage calls it when the content is durable but not visible yet, with the info that `stat` is going to return,
   * and awaits it. If it rejects, `replace` rejects with the same error and the old content stays. A storage with
   * `revoke` also passes a `ticket` for that. A storage that does not know the revision in advance never calls it.
   */
  readonly beforePublish?: (info: FileInfo, ticket?: string) => Promise<void>
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
  /** Resolves to `null` if there is no record, or the `fileId` is malformed. */
  get (fileId: string): Promise<StateRecord | null>
  /**
   * Compare and set: stores the value if the record still has this version, where `null` means that there is no record.
   * Resolves to the new version once it is durable. Resolves to `null` if the record has another version, or the
   * `fileId` is malformed. If it rejects, the value may have been stored; the caller reads the record again.
   *
   * With `durable: false` the value may be lost when the machine crashes.
   */
  set(
    fileId: string,
    value: unknown,
    version: string | null,
    options?: { readonly durable?: boolean }
  ): Promise<string | null>
  /** Identifies this process. */
  readonly owner?: string
  /**
   * Whether the process with this `owner` is known to have ended. Together with `owner` this lets an instance take over
   * from a dead one at once; without it, an instance waits 10 seconds.
   */
  hasEnded? (owner: string): boolean
  /**
   * Iterates over all records, each once and in any order, with what `get` would resolve to. A record that is set or
   * deleted meanwhile may be missing, or be as it was. It reads a few at a time, as the caller proceeds: there may be
   * very many. `editorSessions.list({ scan: true })` needs it.
   */
  list? (): AsyncIterable<ListedStateRecord>
}

/**
 * A file and its record as they were at one moment.
 *
 * @experimental
 */
export interface FileSnapshot {
  /** `null` if there is no such file. */
  readonly info: FileInfo | null
  /** `null` if there is no record. */
  readonly record: StateRecord | null
}

/**
 * Options of `Storage.commit`.
 *
 * @experimental
 */
export interface CommitOptions {
  /**
   * Stores the content under this extension from now on.
   *
   * @default the extension that the file has
   */
  readonly extension?: string
  /** Replaces only this revision of the file. */
  readonly ifRevision: string
  /** Replaces only this version of its record; `null`: there is none. */
  readonly ifRecordVersion: string | null
  /**
   * Called with the info that `stat` is going to return. What it returns, a JSON value, becomes the record of the file.
   */
  readonly record: (info: FileInfo) => unknown
  /**
   * For a storage with `versions`: called with that info and with the newest version of the file, `null` if it has
   * none. The replaced content is kept with what it returns, as by `versions.keep`.
   *
   * @default the replaced content is not kept
   */
  readonly keep?: (info: FileInfo, newest: StoredVersion | null) => KeepOptions
  /**
   * For a storage with `versions.prune`: removes what that would remove, after the replaced content has been kept.
   *
   * @default no version is removed
   */
  readonly prune?: VersionLimits
}

/**
 * What `Storage.commit` has stored.
 *
 * @experimental
 */
export interface Committed {
  readonly info: FileInfo
  /** Of the record. */
  readonly recordVersion: string
}

/**
 * Where the content of a file can be fetched from.
 *
 * @experimental
 */
export interface FileUrl {
  /** Describes the content at `url`. */
  readonly info: FileInfo
  /** http or https. It contains all credentials that it needs, and expires. */
  readonly url: string
}

/** A content that a file has, or had, as it was kept. */
export interface StoredVersion {
  /**
   * 1 for the first version that was kept of a file, then always one more than the last, even if that one was removed.
   */
  readonly version: number
  /** The file's `FileInfo.revision` while it had this content. */
  readonly revision: string
  /** Of the file while it had this content, in lower case, without the dot: `docx`. */
  readonly extension: string
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
  readonly comment?: string
}

/** Options of `VersionStore.keep`. */
export interface KeepOptions {
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
  readonly changes?: Content
  /**
   * Names the editing session that has stored the content. Only `VersionStore.prune` needs it.
   *
   * @default none
   */
  readonly session?: string
  /**
   * A whole number from 0 to 4. Of the versions that exceed the limits, those with the lowest one are removed first,
   * and of these the oldest. Only `VersionStore.prune` needs it.
   *
   * @default 0
   */
  readonly priority?: number
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

/** Options of `VersionStore.list`. */
export interface ListVersionsOptions {
  /**
   * The caller needs no more than so many of the newest versions. A storage may resolve to more.
   *
   * @default all versions
   */
  readonly newest?: number
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
 * no versions.
 *
 * The plugin option `versions` needs it. The plugin decides what is kept and removed; the storage removes nothing by
 * itself.
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
   *
   * @example
   * ```js
   * const { revision } = await storage.stat(fileId)
   * const kept = await storage.versions.keep(fileId, revision, { details: { users: ['u1'] } })
   * if (kept) console.log(`Version ${kept.version} is kept`)
   * ```
   */
  keep (fileId: string, revision: string, options?: KeepOptions): Promise<StoredVersion | null>

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
   * Removes what exceeds the limits, except the newest version: first the versions that are too old; then, while there
   * are too many, the oldest of those that two others of their `session` follow; then the oldest. It may wait until
   * there are 16 too many, and remove a few at a time.
   *
   * A labelled version stays and does not count as one of `keep`, but with its bytes.
   *
   * Without this method the plugin lists the versions after each save, and removes the same ones: its cost grows with
   * their number.
   */
  prune? (fileId: string, limits: VersionLimits): Promise<void>

  /**
   * Labels a version, or removes its label: `null`. Durable once resolved. Resolves to whether the file has this
   * version. The label stays when the same revision is kept again.
   *
   * Without this method versions cannot be named.
   */
  label? (fileId: string, version: number, label: VersionLabel | null): Promise<boolean>
}

/**
 * Stores documents. `stat`, `read`, `create` and `replace` are required; each of the other members adds a capability. A
 * malformed `fileId` is treated as a file that does not exist, never as an error.
 *
 * `storageConformance` of `fastify-onlyoffice/testing` tests an implementation.
 *
 * @example
 * ```js
 * // Rows of a database table: fileId, extension, revision, modifiedAt, content.
 * const infoOf = ({ fileId, extension, revision, modifiedAt, content }) =>
 *   ({ fileId, extension, revision, modifiedAt, size: content.length })
 *
 * const storage = {
 *   async stat (fileId) {
 *     const row = await documents.find(fileId)
 *     return row ? infoOf(row) : null
 *   },
 *   async read (fileId, range) {
 *     const row = await documents.find(fileId)
 *     if (!row) return null
 *     if (range && range.end >= row.content.length) throw new RangeError('The range is not within the file')
 *     const bytes = range ? row.content.subarray(range.start, range.end + 1) : row.content
 *     return { info: infoOf(row), body: Readable.from([bytes], { objectMode: false }) }
 *   },
 *   async create (extension, content) {
 *     assertExtension(extension)
 *     const row = { fileId: randomUUID(), extension: extension.toLowerCase(), content: await bytesOf(content) }
 *     return infoOf(await documents.insert(row))
 *   },
 *   async replace (fileId, content, { extension, ifRevision } = {}) {
 *     if (extension !== undefined) assertExtension(extension)
 *     if (!await documents.find(fileId)) return null
 *     const changes = { extension: extension?.toLowerCase(), content: await bytesOf(content) }
 *     const row = await documents.update(fileId, changes, ifRevision) // nothing if the row has another revision
 *     return row ? infoOf(row) : null
 *   }
 * }
 * ```
 */
export interface Storage {
  /** Awaited at registration, which rejects if it rejects. */
  ready? (): Promise<void>

  /** Resolves to the info of a file, or to `null` if there is none. */
  stat (fileId: string): Promise<FileInfo | null>

  /**
   * Resolves to one version of a file, or to `null` if there is none. The version stays readable while the file is
   * replaced.
   *
   * @throws RangeError: `range` is not within the file.
   */
  read (fileId: string, range?: ByteRange): Promise<ReadResult | null>

  /**
   * Stores the content as a new file, under a new ID that needs no encoding in a URL. Durable once resolved. If it
   * rejects, nothing is left behind.
   *
   * @throws NameTakenError (`FST_EDITOR_NAME_TAKEN`): there is a file with the given `fileId`.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): the given `fileId` is malformed.
   * @throws InvalidNameError (`FST_EDITOR_INVALID_NAME`): `extension` is not 1 to 16 letters or digits.
   * @throws the error of `content`.
   */
  create (extension: string, content: Content, options?: CreateOptions): Promise<FileInfo>

  /**
   * Replaces the content of a file, atomically: a reader sees either the old content or the new one. Durable once
   * resolved. If it rejects, the old content stays. If there is no such file, it resolves to `null` without reading
   * `content`.
   *
   * @throws InvalidNameError (`FST_EDITOR_INVALID_NAME`): `extension` is not 1 to 16 letters or digits.
   * @throws NameTakenError (`FST_EDITOR_NAME_TAKEN`): another document already has the name that the file would get
   * with the new extension. Only for storages whose names depend on the extension.
   * @throws RevokedError (`FST_EDITOR_REVOKED`): the content was staged, and another process has revoked it.
   * @throws the error of `content` or of `beforePublish`.
   */
  replace (fileId: string, content: Content, options?: ReplaceOptions): Promise<FileInfo | null>

  /**
   * Replaces a file and its record in one atomic write, and keeps the replaced content as a version in the same write,
   * if `keep` is given. Durable once resolved. Resolves to `null`, and changes nothing, if the file has another
   * revision or the record another version. If it rejects, all of it may have been stored, or will be shortly, or
   * nothing; the caller takes a snapshot to find out.
   *
   * A save then needs no lock: nothing else makes it visible, whatever happens to the process. A storage with `commit`
   * must also have `state` and `stage`. The functions in `options` may be called again when another instance has
   * changed the file or its record meanwhile.
   *
   * @throws InvalidNameError (`FST_EDITOR_INVALID_NAME`): `extension` is not 1 to 16 letters or digits.
   * @throws the error of `content`, of `keep().changes`, or of a function in `options`.
   * @experimental
   */
  commit? (fileId: string, content: Content, options: CommitOptions): Promise<Committed | null>

  /**
   * Resolves to what `stat` and `state.get` would resolve to at one moment, usually with one request instead of two.
   *
   * @experimental
   */
  snapshot? (fileId: string): Promise<FileSnapshot>

  /**
   * Resolves to a URL of the present content, or to `null` if there is no such file. The download action then redirects
   * to it instead of sending the content itself. The document server must be able to reach it. The URL works for as
   * long as it is valid, even if the content is replaced meanwhile. Document servers from 7.2 to 8.3 send their
   * `Authorization` header there, which stores refuse beside a signature: a presigned URL needs 9.0 or later.
   *
   * @experimental
   */
  downloadUrl? (fileId: string): Promise<FileUrl | null>

  /**
   * Stores content for `fileId` without publishing it. Durable once resolved. If it rejects, nothing is left behind.
   *
   * Without this method the plugin keeps saves in the system's temporary directory until they are published.
   *
   * @throws the error of `content`.
   * @experimental
   */
  stage? (fileId: string, content: AsyncIterable<Uint8Array>): Promise<StagedContent>

  /**
   * Prevents a process that has stopped from publishing later. Once it resolves, the content whose `ticket` was passed
   * to `beforePublish`, by any process, is either published completely or will never be. An unknown ticket is not an
   * error.
   *
   * Without this method only `ifRevision` prevents such a process from publishing old content.
   *
   * @experimental
   */
  revoke? (fileId: string, ticket: string): Promise<void>

  /**
   * The records of all files. Without it each process keeps them in memory: instances do not know of each other's
   * sessions and saves, and a restart forgets them.
   */
  readonly state?: StateStore

  /** Earlier contents of the files. The plugin option `versions` needs it. */
  readonly versions?: VersionStore

  /** Deletes a file, its record and its versions. Resolves to whether it existed. The plugin never calls it. */
  remove? (fileId: string): Promise<boolean>

  /** Releases resources. The plugin calls it for its default storage only. */
  close? (): Promise<void>
}
