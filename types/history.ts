import type { CallbackHistory } from './events.js'
import type { HistoryData, SignedData } from './signed-data.js'

/** Which earlier versions of a document are kept. Named ones always are, and the version before the present one. */
export interface VersionOptions {
  /**
   * How many earlier versions, from 1 to 1,000. When there are more, these are deleted first, of each kind the oldest:
   * force saves within a session, and restores of one user that follow each other; then versions that were the present
   * one for less than a minute, an hour, a day, a week. So what is left is spread over time, and nobody can push out
   * what others did. The first version of each author's work counts as one that was the present one for an hour,
   * content that the plugin did not store as one for more than a week.
   *
   * @default 200
   */
  readonly keep?: number | undefined
  /**
   * Milliseconds for which a version is kept after it was superseded. Older ones are no longer shown, and are deleted
   * by the next save of the document.
   *
   * @default versions do not expire
   */
  readonly maxAge?: number | undefined
  /**
   * Bytes that the earlier versions of one document may take, with the data of their changes. When there are more,
   * versions are deleted in the same order.
   *
   * @default there is no limit
   */
  readonly maxBytes?: number | undefined
  /**
   * Which pages show the history, with its authors: those that may edit, or all that show the document. A page's
   * control can say otherwise with `history`.
   *
   * @default 'editors'
   */
  readonly for?: 'editors' | 'readers' | undefined
}

/** One version, in the form that the editor shows. */
export interface HistoryVersion {
  /** 1 for the oldest version that was ever kept, and ascending. A number never means another version. */
  readonly version: number
  /** The document key of this content. */
  readonly key: string
  /** When it was saved: UTC, such as `2026-11-20 15:12:59`. */
  readonly created: string
  /** Who made the last change. Both are `''` if the content was not saved by the plugin. */
  readonly user: { readonly id: string, readonly name: string }
  /** Who made which changes. `null` if the document server did not say, or the content was not saved by the plugin. */
  readonly changes: CallbackHistory['changes'] | null
  /** Build of the document server that saved it. */
  readonly serverVersion?: string
  /** The version whose content this one has, if it is the result of `restore`. */
  readonly restored?: number
  /** As given to `nameVersion`. The page shows the name behind the author's; the editor has no place for a comment. */
  readonly name?: string
  readonly comment?: string | undefined
}

/**
 * The argument of the editor's `refreshHistory`.
 * Source: emulator/docs/document-server-protocol.md#events-and-what-answers-them
 */
export interface DocumentHistory {
  readonly currentVersion: number
  /** Oldest first. The last one is the present version. */
  readonly history: readonly HistoryVersion[]
}

/** The argument of the editor's `setHistoryData`. Source: emulator/docs/document-server-protocol.md#version-history */
export type HistoryVersionData = SignedData<HistoryData> & { readonly version: number }

/** Options of `EditorControl.restore`. */
export interface RestoreOptions {
  /**
   * Restores this file instead of the version: a URL of the document server's result files (`/cache/files/…`), as
   * `onRequestRestore` reports it for a change within a version, with the format of the file. Of the origin of
   * `editorApiUrl`, or one that `documentServer.origins` lists; also where redirects lead. Otherwise `restore` rejects
   * with `AddressBlockedError`. It rejects with `UpstreamError` if the content is not of that format, or is HTML that
   * the document server does not send as `text/html`.
   */
  readonly result?: { readonly url: string, readonly fileType: string } | undefined
  /**
   * Milliseconds to wait until nobody edits the document any more.
   *
   * @default 30_000
   */
  readonly timeout?: number | undefined
  /**
   * Stops waiting, for editors, content and earlier saves; the promise then rejects with its reason. A version that is
   * being published is published.
   */
  readonly signal?: AbortSignal | undefined
}

export interface RestoredVersion {
  /**
   * The number of the new version, which has the content of the restored one. 0 if the storage could not list the
   * versions after it was restored.
   */
  readonly version: number
  /** Revision of the stored file. */
  readonly revision: string
}
