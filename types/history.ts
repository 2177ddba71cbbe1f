import type { CallbackHistory } from './events.js'
import type { HistoryData, SignedData } from './signed-data.js'

/**
 * Which earlier versions of a document to keep. Named versions, and the version before the present one, are always
 * kept.
 */
export interface VersionOptions {
  /**
   * How many earlier versions to keep, from 1 to 1,000.
   *
   * When there are more, the plugin deletes versions in this order, of each kind the oldest first: force saves within a
   * session, and restores by one user that follow each other; then versions that were the present one for less than a
   * minute, an hour, a day, a week. So the remaining versions are spread over time, and nobody can push out the work of
   * others. The first version of each author's work counts as present for an hour; content that the plugin did not
   * store, for more than a week.
   *
   * @default 200
   */
  readonly keep?: number | undefined
  /**
   * Milliseconds to keep a version after a newer one replaced it. Older versions are no longer shown, and the
   * document's next save deletes them.
   *
   * @default versions do not expire
   */
  readonly maxAge?: number | undefined
  /**
   * Bytes that the earlier versions of one document may take, with the data of their changes. Above that, versions are
   * deleted in the order of `keep`.
   *
   * @default no limit
   */
  readonly maxBytes?: number | undefined
  /**
   * Which pages show the history, with its authors: pages that may edit, or all pages that show the document. The field
   * `history` of a page's control overrides it.
   *
   * @default 'editors'
   */
  readonly for?: 'editors' | 'readers' | undefined
}

/** One version, in the editor's format. */
export interface HistoryVersion {
  /** 1 for the first version that was ever kept, then ascending. Numbers are never reused. */
  readonly version: number
  /** The document key of this content. */
  readonly key: string
  /** When it was saved: UTC, such as `2026-11-20 15:12:59`. */
  readonly created: string
  /** Who made the last change. Both fields are `''` if the plugin did not save the content. */
  readonly user: { readonly id: string, readonly name: string }
  /**
   * Who made which changes. `null` if the document server did not report it, or the plugin did not save the content.
   */
  readonly changes: CallbackHistory['changes'] | null
  /** Build of the document server that saved it. */
  readonly serverVersion?: string
  /** The version whose content was restored, if `restore` created this one. */
  readonly restored?: number
  /**
   * The name from `nameVersion`. The page shows it after the author's name; the editor has no place for the comment.
   */
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
   * Restores this file instead of the version. `onRequestRestore` reports such a file for a change within a version.
   * `url` must be a URL of the document server's result files (`/cache/files/…`), with the origin of `editorApiUrl` or
   * an origin in `documentServer.origins`, also after redirects; otherwise `restore` rejects with
   * `AddressBlockedError`. It rejects with `UpstreamError` if the content is not a `fileType` file, or is HTML that the
   * document server does not send as `text/html`.
   */
  readonly result?: { readonly url: string, readonly fileType: string } | undefined
  /**
   * Milliseconds to wait until nobody edits the document any more.
   *
   * @default 30_000
   */
  readonly timeout?: number | undefined
  /**
   * Stops waiting for editors, content and earlier saves: the promise rejects with the signal's reason. If the version
   * is already being published, that is completed.
   */
  readonly signal?: AbortSignal | undefined
}

export interface RestoredVersion {
  /**
   * The number of the new version, which has the content of the restored one. 0 if the storage failed to list the
   * versions after the restore.
   */
  readonly version: number
  /** Revision of the stored file. */
  readonly revision: string
}
