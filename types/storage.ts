import type { Readable } from 'node:stream'

/** What is known of a stored file without reading it. */
export interface FileInfo {
  readonly fileId: string
  /** Lower case, without the dot: `docx`. */
  readonly extension: string
  /** Bytes. */
  readonly size: number
  readonly modifiedAt: Date
  /** Opaque. Changes whenever the content does; the same content, read by any instance, has the same revision. */
  readonly revision: string
}

/** First and last byte, both included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The bytes of a file: at once, or as they arrive. */
export type Content = Uint8Array | AsyncIterable<Uint8Array>

export interface ReadResult {
  /** Describes the very version that `body` reads. */
  readonly info: FileInfo
  readonly body: Readable
}

/** Content that is stored, but nowhere anyone finds it: `create` and `replace` of its storage publish it, without reading it again. */
export interface StagedContent extends AsyncIterable<Uint8Array> {
  /** Bytes. */
  readonly size: number
  /** Removes it, unless it was published. Never rejects. */
  discard (): Promise<void>
}

export interface ReplaceOptions {
  /** Stores the content under this extension from now on. Default: the extension the file has. */
  readonly extension?: string
  /**
   * Replaces this revision only: resolves to `null`, and changes nothing, when the file has another one at the moment of
   * publishing. Default: any.
   */
  readonly ifRevision?: string
  /**
   * Awaited once the content is durable, before anyone can read it, with what `stat` will say of it. Whoever was given the
   * `ticket` of a storage with `revoke` can use it there. A rejection rejects `replace` and leaves the old content. A storage
   * that can't know the revision beforehand never calls it.
   */
  readonly beforePublish?: (info: FileInfo, ticket?: string) => Promise<void>
}

/** A small JSON value kept beside a file, and its version. */
export interface StateRecord {
  readonly value: unknown
  /** Opaque. Changes with every `set`. */
  readonly version: string
}

/**
 * One small JSON record for each file, shared by all who use the storage. With it, all instances of a service know
 * which editing session of a file is live and which save was stored last; it holds no content. It ends with its file.
 */
export interface StateStore {
  get (fileId: string): Promise<StateRecord | null>
  /**
   * Compare and set: stores the value, durable when resolved, if the record still has this version (`null`: if there is
   * none). Resolves to the new version, or to `null` when someone else was faster and nothing was stored. A rejection
   * may have stored it: whoever cares looks again. With `durable: false` a crash of the machine may take it back.
   */
  set (fileId: string, value: unknown, version: string | null, options?: { readonly durable?: boolean }): Promise<string | null>
  /** A name of this process, and whether the process that had such a name is known to have ended: spares waiting for it. */
  readonly owner?: string
  hasEnded? (owner: string): boolean
}

/**
 * Where documents live. A malformed `fileId` is an absent file, never an error.
 * Prove an implementation of your own with `storageConformance` of `fastify-onlyoffice/testing`.
 */
export interface Storage {
  /** Awaited at start. Rejects when the storage can't be used. */
  ready? (): Promise<void>

  stat (fileId: string): Promise<FileInfo | null>

  /** Info and body of one version, whatever is written meanwhile. A range that is not within the file rejects with a `RangeError`. */
  read (fileId: string, range?: ByteRange): Promise<ReadResult | null>

  /**
   * Stores the content under a new URL-safe id. Durable when resolved; nothing is left behind when rejected.
   * An extension that is not 1 to 16 letters or digits rejects with `FST_EDITOR_INVALID_NAME`; so it does in `replace`.
   */
  create (extension: string, content: Content): Promise<FileInfo>

  /**
   * All or nothing: readers see the old content or the new one, never a mixture, and a rejection leaves the old one.
   * Durable when resolved. Resolves to `null`, without touching `content`, when no file has this id. Rejects with
   * `FST_EDITOR_NAME_TAKEN` when another document is where the content would be under its new extension.
   */
  replace (fileId: string, content: Content, options?: ReplaceOptions): Promise<FileInfo | null>

  /**
   * Stores content that is yet to be published, durable when resolved; nothing is left behind when rejected. `fileId` is the
   * file it is meant for. Without it, saves are kept in the system's temp directory until it is known what becomes of them.
   */
  stage? (fileId: string, content: AsyncIterable<Uint8Array>): Promise<StagedContent>

  /**
   * When it resolves, the content that was announced to `beforePublish` with this ticket, by any process, is published
   * completely or never will be. A ticket that says nothing to the storage is no error. Without this method a process that is
   * stopped for longer than others wait for it is kept from publishing by `ifRevision` alone.
   */
  revoke? (fileId: string, ticket: string): Promise<void>

  /** Without it, sessions and repeated saves are remembered by each process for itself, until it ends. */
  readonly state?: StateStore

  /** Resolves to whether there was such a file. */
  remove? (fileId: string): Promise<boolean>

  close? (): Promise<void>
}
