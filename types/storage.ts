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

export interface ReplaceOptions {
  /** Stores the content under this extension from now on. Default: the extension the file has. */
  readonly extension?: string
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
   * Durable when resolved. Resolves to `null`, without touching `content`, when no file has this id.
   */
  replace (fileId: string, content: Content, options?: ReplaceOptions): Promise<FileInfo | null>

  /** Resolves to whether there was such a file. */
  remove? (fileId: string): Promise<boolean>

  close? (): Promise<void>
}
