import type { RecoveredFile } from './document-server.js'
import type { EditorErrorCode } from './errors.js'

/**
 * The messages of the plugin's channels of `node:diagnostics_channel`, by the name of the channel. Each channel gets
 * one message for each piece of work, when that has ended, however it ended. Nothing is measured for a channel without
 * subscribers.
 *
 * A message contains no URL, token, user or query. Its strings with a fixed list of values (`outcome`, `event`,
 * `status`, `code`) can be labels of a metric; `fileId` and `key` cannot, there are too many of them. New outcomes and
 * fields may come with a minor version.
 *
 * The channels belong to the process: they carry the messages of all Fastify applications in it. Subscribers are called
 * one after the other, synchronously, before the work goes on: they must be fast. What one throws becomes an
 * `uncaughtException` of the process, as with every channel; the work itself goes on as if it had not thrown.
 *
 * @example
 * ```js
 * import { subscribe } from 'node:diagnostics_channel'
 *
 * subscribe('fastify-onlyoffice:save', ({ outcome, durationMs }) => {
 *   saves.labels(outcome).observe(durationMs / 1000)
 * })
 * ```
 */
export interface DiagnosticsMessages {
  'fastify-onlyoffice:save': SaveMessage
  'fastify-onlyoffice:download': DownloadMessage
  'fastify-onlyoffice:proxy': ProxyMessage
  'fastify-onlyoffice:conversion': ConversionMessage
  'fastify-onlyoffice:force-save': ForceSaveMessage
  'fastify-onlyoffice:restore': RestoreMessage
  'fastify-onlyoffice:recovery': RecoveryMessage
  'fastify-onlyoffice:session': SessionMessage
}

/** Fields of every message about something that takes time. */
interface Timed {
  /** How long it took, in milliseconds with fractions, by the monotonic clock. */
  readonly durationMs: number
}

/** Why something failed. */
interface MayFail {
  /**
   * Code of the error: `FST_EDITOR_…`, one of Fastify or Node.js such as `ENOSPC`, or else the error's name, such as
   * `AbortError`. Absent unless it failed.
   */
  readonly code?: EditorErrorCode | (string & {})
}

/** The document server announced a save, or one of its callbacks was refused. */
export interface SaveMessage extends Timed, MayFail {
  /** The edited document. Of a refused callback, what its URL said; absent if it named none. */
  readonly fileId?: string
  /** Document key of the session. Absent if the callback had none, or was refused before its token was verified. */
  readonly key?: string
  /**
   * Status of the callback: 2 a final save, 6 a force save; 3 and 7 if the document server could not assemble one.
   * Others only of a refused callback; absent if it was refused before its token was verified.
   */
  readonly status?: number
  /**
   * - `stored`: it is the content of the document now.
   * - `unchanged`: it was fetched, but the document has the same content already.
   * - `conflict`: it was stored as a conflict copy, `conflictFileId`.
   * - `repeated`: it was stored before. Nothing was fetched.
   * - `superseded`: a force save older than what is stored. Nothing was stored.
   * - `missing`: its document no longer exists, and the save is lost (`policies: { missingFile: 'acknowledge' }`).
   * - `submitted`: a form, and `onFormSubmitted` has its answers. Nothing was stored.
   * - `empty`: the callback had no URL: there was nothing to store.
   * - `not-assembled`: the document server could not assemble it. Status 3: the changes are lost
   *   (`policies: { corrupted: 'discard' }`). Status 7: they remain in the session.
   * - `refused`: nothing was stored, and the document server keeps what it has; `code` says why.
   * - `unproven`: refused, too, but nothing proves that the document server sent it: a token or the signature of the
   *   URL is missing or wrong. Anybody can cause it; of the document server are all callbacks if a secret or a URL is
   *   wrong.
   */
  readonly outcome:
    | 'stored'
    | 'unchanged'
    | 'conflict'
    | 'repeated'
    | 'superseded'
    | 'missing'
    | 'submitted'
    | 'empty'
    | 'not-assembled'
    | 'refused'
    | 'unproven'
  /** Bytes of the saved file. As `revision` and `rule`: if the outcome is `stored`, `unchanged` or `conflict`. */
  readonly bytes?: number
  /** Revision of the document, or of the conflict copy. */
  readonly revision?: string
  /** `fileId` of the conflict copy; only with the outcome `conflict`. */
  readonly conflictFileId?: string
  /** Why there is a conflict copy, as in `SavedEvent`; only with the outcome `conflict`. */
  readonly conflictReason?: 'changed' | 'format' | 'frozen'
  /** Name of the rule that has decided where it is stored, as in `SavedEvent`. */
  readonly rule?: string
  /**
   * From the arrival of the callback until its answer is known: with its body, its turn, fetching, storing and the
   * hooks.
   */
  readonly durationMs: number
}

/** Fields of a message about a response. */
export interface ResponseMessage extends Timed, MayFail {
  /**
   * The document, as the query of the request said, which may be anything if the request failed. Absent if it named
   * none.
   */
  readonly fileId?: string
  /**
   * - `sent`: the response was sent in full; `httpStatus` says which.
   * - `failed`: an error was answered; `code` says which.
   * - `interrupted`: the connection was closed before: the client left or read nothing for `timeouts.idle`, or the
   *   source of the content failed halfway.
   */
  readonly outcome: 'sent' | 'failed' | 'interrupted'
  /** Absent if the connection was closed before the headers were sent. */
  readonly httpStatus?: number
  /**
   * Bytes of the response's body. If it was interrupted, or its length was not known in advance, what its connection
   * has taken instead, headers included; over HTTP/2 absent then.
   */
  readonly bytes?: number
  /**
   * From the arrival of the request until its response was handed to the operating system, or the connection was
   * closed.
   */
  readonly durationMs: number
}

/** Somebody, usually the document server, downloaded a document. Also for HEAD, 304 and redirects. */
export interface DownloadMessage extends ResponseMessage {}

/**
 * A page fetched something through the proxy action. `httpStatus` is that of the upstream, unless the outcome is
 * `failed`.
 */
export interface ProxyMessage extends ResponseMessage {}

/** `convert()`, `thumbnail()` or `convertToPdf()` has ended. */
export interface ConversionMessage extends Timed, MayFail {
  /** The document of the control; absent for `app.editorServer.convert()`. */
  readonly fileId?: string
  /** The requested format, such as `pdf`. */
  readonly outputType: string
  /** `failed` also if the application has cancelled it. */
  readonly outcome: 'converted' | 'failed'
  /** Size of the result. Absent if it failed, or the document server did not announce it. */
  readonly bytes?: number
  /** Until the result can be read; with `convertToPdf()` until it is read. */
  readonly durationMs: number
}

/** `control.forceSave()` has ended. Its save has a message of its own. */
export interface ForceSaveMessage extends Timed, MayFail {
  /** The edited document. */
  readonly fileId: string
  /** Document key of the session. */
  readonly key: string
  /** As in `ForceSaveResult`; `conflict` if it was stored as a conflict copy, `failed` if the call rejected. */
  readonly outcome: 'saved' | 'conflict' | 'no-changes' | 'no-session' | 'failed'
}

/** `control.restore()` has ended. */
export interface RestoreMessage extends Timed, MayFail {
  /** The document. */
  readonly fileId: string
  /** Number of the version. */
  readonly version: number
  /** `failed` if the call rejected: the document is unchanged. */
  readonly outcome: 'restored' | 'failed'
}

/** `recoverForgotten()` has examined one forgotten file; not with `dryRun`. */
export interface RecoveryMessage extends Timed, MayFail {
  /** The document that was edited; absent if unknown. */
  readonly fileId?: string
  /** Document key of the session. */
  readonly key: string
  /** As in `RecoveredFile`, and never `recoverable`. */
  readonly outcome: RecoveredFile['outcome']
  /** Whether the document server still has a forgotten file with this key. */
  readonly kept: boolean
}

/** A session has started or ended. Of several instances the one that noticed it has the message, as with the hooks. */
export type SessionMessage = SessionStartedMessage | SessionEndedMessage

/** Somebody began to edit a document. */
export interface SessionStartedMessage {
  readonly event: 'started'
  /** The edited document. */
  readonly fileId: string
  /** Document key of the session. */
  readonly key: string
}

/** Nobody edits a document any more. */
export interface SessionEndedMessage {
  readonly event: 'ended'
  /** The edited document. */
  readonly fileId: string
  /** Document key of the session. */
  readonly key: string
  /** As `reason` in `SessionEndEvent`. */
  readonly outcome: 'saved' | 'unchanged' | 'discarded' | 'refused' | 'lost'
  /**
   * How long it lasted, in milliseconds. Absent if this instance did not notice its start, or nobody had subscribed
   * then.
   */
  readonly durationMs?: number
}
