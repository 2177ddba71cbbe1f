import type { RecoveredFile } from './document-server.js'
import type { EditorErrorCode } from './errors.js'

/**
 * The messages that the plugin publishes with `node:diagnostics_channel`, by the name of the channel. Each piece of
 * work publishes one message when it ends, whether it succeeded or failed. Nothing is measured for a channel without
 * subscribers.
 *
 * Messages contain no URL, token, user or query. Fields with a fixed list of values (`outcome`, `event`, `status`,
 * `code`) can be labels of a metric; `fileId` and `key` have too many values. Minor versions may add outcomes and
 * fields.
 *
 * The channels belong to the process: they carry the messages of all its Fastify applications. Subscribers must be
 * fast, because they are called synchronously, one after the other, before the work goes on. If a subscriber throws,
 * the process gets an `uncaughtException`, as with every channel, but the work goes on.
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

/** Duration of the work. */
interface Timed {
  /** Duration in milliseconds with fractions, by the monotonic clock. */
  readonly durationMs: number
}

/** Why something failed. */
interface MayFail {
  /**
   * Code of the error: `FST_EDITOR_…`, a code of Fastify or Node.js such as `ENOSPC`, or else the error's name, such as
   * `AbortError`. Absent on success.
   */
  readonly code?: EditorErrorCode | (string & {})
}

/** A callback announced a save, or was refused. */
export interface SaveMessage extends Timed, MayFail {
  /** The edited document. For a refused callback, the `fileId` in its URL; absent if there was none. */
  readonly fileId?: string
  /** Document key of the session. Absent if the callback had none, or was refused before its token was verified. */
  readonly key?: string
  /**
   * Status of the callback: 2 for a final save, 6 for a force save, 3 and 7 if the document server could not assemble
   * one. Other values only for refused callbacks. Absent if it was refused before its token was verified.
   */
  readonly status?: number
  /**
   * - `stored`: the save is now the content of the document.
   * - `unchanged`: it was fetched, but the document already has the same content.
   * - `conflict`: it was stored as a conflict copy, `conflictFileId`.
   * - `repeated`: it was already stored. Nothing was fetched.
   * - `superseded`: a force save that is older than the stored content. Nothing was stored.
   * - `missing`: its document no longer exists, and the save is lost (`policies: { missingFile: 'acknowledge' }`).
   * - `submitted`: a form was submitted, and `onFormSubmitted` received the answers. Nothing was stored.
   * - `empty`: the callback had no URL, so there was nothing to store.
   * - `not-assembled`: the document server could not assemble it. Status 3: the changes are lost
   *   (`policies: { corrupted: 'discard' }`). Status 7: they remain in the session.
   * - `refused`: nothing was stored, and the document server keeps what it has; `code` says why.
   * - `unproven`: refused, and nothing proves that the document server sent it: a token or the URL's signature is
   *   missing or wrong. Anybody can cause this. If a secret or a URL is misconfigured, it happens to all of the
   *   document server's callbacks.
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
  /**
   * Bytes of the saved file. Like `revision` and `rule`, only with the outcomes `stored`, `unchanged` and `conflict`.
   */
  readonly bytes?: number
  /** Revision of the document, or of the conflict copy. */
  readonly revision?: string
  /** `fileId` of the conflict copy; only with the outcome `conflict`. */
  readonly conflictFileId?: string
  /** Why there is a conflict copy, as in `SavedEvent`; only with the outcome `conflict`. */
  readonly conflictReason?: 'changed' | 'format' | 'frozen'
  /** Name of the rule that decided where to store the save, as in `SavedEvent`. */
  readonly rule?: string
  /**
   * From the arrival of the callback until its answer is known. Includes receiving the body, waiting for earlier
   * callbacks, fetching, storing and the hooks.
   */
  readonly durationMs: number
}

/** Fields of a message about a response. */
export interface ResponseMessage extends Timed, MayFail {
  /**
   * The document that the request's query names; absent if it names none. If the request failed, this may be anything.
   */
  readonly fileId?: string
  /**
   * - `sent`: the response was sent in full, with `httpStatus`.
   * - `failed`: the answer was an error, with `code`.
   * - `interrupted`: the connection closed before the end: the client left or read nothing for `timeouts.idle`, or the
   *   source of the content failed halfway.
   */
  readonly outcome: 'sent' | 'failed' | 'interrupted'
  /** Absent if the connection was closed before the headers were sent. */
  readonly httpStatus?: number
  /**
   * Bytes of the response's body. If the response was interrupted, or its length was not known in advance, the bytes
   * that the connection has taken instead, headers included; then absent over HTTP/2.
   */
  readonly bytes?: number
  /**
   * From the arrival of the request until its response was handed to the operating system, or the connection was
   * closed.
   */
  readonly durationMs: number
}

/** A document was downloaded, usually by the document server. Also for HEAD, 304 and redirects. */
export interface DownloadMessage extends ResponseMessage {}

/** A page fetched a file through the proxy action. `httpStatus` is the upstream's, unless the outcome is `failed`. */
export interface ProxyMessage extends ResponseMessage {}

/** `convert()`, `thumbnail()` or `convertToPdf()` has ended. */
export interface ConversionMessage extends Timed, MayFail {
  /** The document of the control; absent for `app.editorServer.convert()`. */
  readonly fileId?: string
  /** The requested format, such as `pdf`. */
  readonly outputType: string
  /** `failed` also if the application cancelled it. */
  readonly outcome: 'converted' | 'failed'
  /** Bytes of the result. Absent if the conversion failed, or the document server did not announce the size. */
  readonly bytes?: number
  /** Milliseconds until the result can be read; with `convertToPdf()`, until it was read. */
  readonly durationMs: number
}

/** `control.forceSave()` has ended. The save itself has its own message. */
export interface ForceSaveMessage extends Timed, MayFail {
  /** The edited document. */
  readonly fileId: string
  /** Document key of the session. */
  readonly key: string
  /** As in `ForceSaveResult`; `conflict` if the save was stored as a conflict copy, `failed` if the call rejected. */
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

/** `recoverForgotten()` has processed one forgotten file; not with `dryRun`. */
export interface RecoveryMessage extends Timed, MayFail {
  /** The document that was edited; absent if unknown. */
  readonly fileId?: string
  /** Document key of the session. */
  readonly key: string
  /** As in `RecoveredFile`, but never `recoverable`. */
  readonly outcome: RecoveredFile['outcome']
  /** Whether the document server still has a forgotten file with this key. */
  readonly kept: boolean
}

/**
 * A session has started or ended. With several instances, only the instance that noticed it publishes the message, like
 * the hooks.
 */
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
   * Duration of the session in milliseconds. Absent if this instance did not notice its start, or nobody had subscribed
   * by then.
   */
  readonly durationMs?: number
}
