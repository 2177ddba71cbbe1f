import { format } from 'node:util'
import type { EditorErrorCode } from '../types/errors.js'

/** Status of retryable errors without a more exact one. */
const LATER = 503

interface Facts extends ErrorOptions {
  readonly statusCode?: number
  readonly retryable?: boolean
  readonly serverCode?: number
}

/** Base class of all errors of this library. `cause` is the error that caused it, if any. */
export abstract class EditorError extends Error {
  /** Stable. docs/troubleshooting.md#errors says what each means. */
  readonly code: EditorErrorCode
  /** HTTP status of the response. */
  readonly statusCode: number
  /** Whether repeating the same call later may succeed, with nothing changed in between. */
  readonly retryable: boolean
  /** The document server's code, if it answered a command, a conversion or a document build with one. */
  declare readonly serverCode?: number | undefined

  protected constructor (
    code: EditorErrorCode, message: string, { statusCode = 500, retryable = false, serverCode, ...options }: Facts
  ) {
    super(message, options)
    this.code = code
    this.statusCode = statusCode === LATER && !retryable ? 500 : statusCode
    this.retryable = retryable
    if (serverCode !== undefined) this.serverCode = serverCode
  }

  /** On the prototype, so that the stack begins with it. */
  override get name (): string {
    return this.constructor.name
  }
}

/** `Told`: which fields the options may set besides the cause. */
export interface EditorErrorClass<Arguments extends unknown[], Told extends keyof Facts> {
  new (...args: [...Arguments, options?: Pick<Facts, Told | 'cause'>]): EditorError
}

/**
 * The arguments replace `%s` and `%d` in the message. By default, errors with a status for "later" or "too slow" are
 * retryable.
 */
function define<Arguments extends Array<string | number> = [], Told extends keyof Facts = never> (
  code: EditorErrorCode, statusCode: number, message: string,
  { retryable = [429, LATER, 504].includes(statusCode) } = {}
): EditorErrorClass<Arguments, Told> {
  const count = message.split('%').length - 1
  return class extends EditorError {
    constructor (...args: [...Arguments, options?: Pick<Facts, Told | 'cause'>]) {
      const told: string | number | Facts | undefined = args[count]
      const facts = typeof told === 'object' ? told : {}
      super(code, format(message, ...args.slice(0, count)), { statusCode, retryable, ...facts })
    }
  }
}

// Configuration and use

/** An option of the plugin, or an argument of a method, has an invalid value. */
export class InvalidOptionError extends define<[option: string, rule: string]>(
  'FST_EDITOR_INVALID_OPTION', 500, 'Option %s %s'
) {}

export class AlreadyRegisteredError extends define(
  'FST_EDITOR_ALREADY_REGISTERED', 500,
  'fastify-onlyoffice is already registered in this scope: register it once here, or in sibling scopes'
) {}

export class BundledError extends define(
  'FST_EDITOR_BUNDLED', 500,
  'The files of fastify-onlyoffice are not beside its code, probably because it was bundled: keep the package external, for example with --external:fastify-onlyoffice of esbuild, and install it where the bundle runs'
) {}

export class NoDocumentError extends define(
  'FST_EDITOR_NO_DOCUMENT', 500,
  'The control has no document: await openDocument() or uploadDocument(), or set documentUrl, documentName and documentKey'
) {}

/** A control was asked to open or create a document while it was opening another one. */
export class ControlBusyError extends define(
  'FST_EDITOR_CONTROL_BUSY', 500,
  'The control is opening another document: make one for each document with editorControl(), or await the first call'
) {}

/** The name of a new document has no usable extension. */
export class InvalidNameError extends define(
  'FST_EDITOR_INVALID_NAME', 400,
  'The document name must end in an extension of 1 to 16 letters or digits, such as Report.docx'
) {}

export class UnknownFormatError extends define<[extension: string]>(
  'FST_EDITOR_UNKNOWN_FORMAT', 415, 'The editor cannot open .%s files'
) {}

/** `checkDocument` found an empty file whose format is not plain text. Often an upload or a copy failed earlier. */
export class EmptyDocumentError extends define('FST_EDITOR_EMPTY_DOCUMENT', 422, 'The file is empty') {}

/** `checkDocument` found another format: the file was renamed, or something else was saved under its name. */
export class WrongFormatError extends define<[extension: string]>(
  'FST_EDITOR_WRONG_FORMAT', 422, 'The content is not a .%s file'
) {}

export class DamagedDocumentError extends define<[extension: string]>(
  'FST_EDITOR_DAMAGED_DOCUMENT', 422, 'The .%s file is damaged or incomplete'
) {}

/**
 * At its end, a stream of content has `truncated` set, as upload parsers do when their size limit is reached. Nothing
 * was stored.
 */
export class TruncatedContentError extends define(
  'FST_EDITOR_TRUNCATED_CONTENT', 413, 'The content was cut off by a size limit before it arrived here'
) {}

/**
 * `authorize` or another hook of the application did not return within `timeouts.hooks`. For `authorize` this counts as
 * a denial; for other hooks it is logged.
 */
export class HookTimeoutError extends define<[hook: string, milliseconds: number]>(
  'FST_EDITOR_HOOK_TIMEOUT', 503, 'The hook %s did not finish within %d ms'
) {}

// Requests to the handler

export class UnknownActionError extends define(
  'FST_EDITOR_UNKNOWN_ACTION', 400, 'Unknown action: use callback, download, proxy or report'
) {}

export class MethodNotAllowedError extends define<[action: string, methods: string]>(
  'FST_EDITOR_METHOD_NOT_ALLOWED', 405, 'The %s action accepts only %s'
) {}

/**
 * Credentials are missing, or a token is invalid. The message says what is wrong and how to fix it; `found` lists the
 * tokens in the request.
 */
export class UnauthorizedError extends define<[reason: string]>('FST_EDITOR_UNAUTHORIZED', 401, 'Not authorized: %s') {}

/** The credentials are valid for something else, or the application or a rule denies the request. */
export class ForbiddenError extends define<[reason: string]>('FST_EDITOR_FORBIDDEN', 403, 'Forbidden: %s') {}

/** The body of a callback is malformed or did not arrive in full. The document server receives `{"error":1}`. */
export class InvalidCallbackError extends define<[reason: string]>(
  'FST_EDITOR_INVALID_CALLBACK', 400, 'The callback cannot be used: %s'
) {}

export class InvalidReportError extends define<[reason: string]>(
  'FST_EDITOR_INVALID_REPORT', 400, 'The report cannot be used: %s'
) {}

export class InvalidActionError extends define<[reason: string]>(
  'FST_EDITOR_INVALID_ACTION', 400, 'The request of the editor page cannot be used: %s'
) {}

/**
 * A page sent too many requests in too short a time. The header `retry-after` of the response has the seconds to wait.
 */
export class TooManyRequestsError extends define<[seconds: number]>(
  'FST_EDITOR_TOO_MANY_REQUESTS', 429, 'The editor page has sent too many requests: try again in %d seconds'
) {}

/**
 * A hook of the option `actions` threw, rejected or returned something that cannot be used. The page receives only the
 * failure, without the reason; if the hook threw an error with a `statusCode` from 400 to 499, the page receives that
 * status. The code is also used for errors of other hooks and of the storage that are not errors of this library.
 */
export class ActionFailedError extends define<[hook: string, reason: string], 'statusCode'>(
  'FST_EDITOR_ACTION_FAILED', 500, 'The hook actions.%s %s'
) {}

/** A URL from a request or from the document server is missing or not absolute. */
export class InvalidUrlError extends define('FST_EDITOR_INVALID_URL', 400, 'Invalid URL') {}

/** A URL from a request or from the document server is neither http nor https. */
export class UnsupportedSchemeError extends define('FST_EDITOR_UNSUPPORTED_SCHEME', 400, 'Unsupported URL scheme') {}

// Storage and saves

/** More would only fill the log. */
const MAX_SHOWN_ID = 255

/** No stored file has this fileId. */
export class FileNotFoundError extends define<[which: string]>(
  'FST_EDITOR_FILE_NOT_FOUND', 404, 'No stored file has %s'
) {
  constructor (fileId?: string, { reason, ...options }: ErrorOptions & { readonly reason?: string | undefined } = {}) {
    const why = reason ?? (/\w\.\w{1,16}$/.test(fileId ?? '') ? 'a fileId has no extension' : '')
    const which = fileId === undefined
      ? 'this fileId'
      : `the fileId ${JSON.stringify(fileId.slice(0, MAX_SHOWN_ID))}${why && `: ${why}`}`
    super(which, options)
  }
}

/**
 * The document changes its format, and another document already has the name it would get. A save then becomes a
 * conflict copy.
 */
export class NameTakenError extends define(
  'FST_EDITOR_NAME_TAKEN', 409, 'Another document has the name that this one would get in its new format'
) {}

/**
 * The document server could not assemble the edited document (status 3), and `policies.corrupted` is `keep`: it
 * receives `{"error":1}` and keeps the changes.
 */
export class CorruptedDocumentError extends define(
  'FST_EDITOR_CORRUPTED_DOCUMENT', 500,
  'The document server could not assemble the edited document; it keeps the changes'
) {}

/**
 * Other saves or instances kept changing the document or its record. If this happens to a save, it is refused, and the
 * document server keeps it.
 */
export class BusyError extends define<[reason: string]>('FST_EDITOR_BUSY', 503, 'The document is busy: %s') {}

/** A method of the storage did not finish within `timeouts.storage`. */
export class StorageTimeoutError extends define<[method: string, milliseconds: number]>(
  'FST_EDITOR_STORAGE_TIMEOUT', 503, 'The storage\'s %s did not finish within %d ms'
) {}

/**
 * An object store or a database refused a request or did not answer, or stored data is damaged or missing. The message
 * says which; `cause` has the store's status and request ID, or the database's SQLSTATE as its `code`. If it is not
 * retryable, correct the permissions or the configuration of the storage.
 */
export class StorageError extends define<[reason: string], 'retryable'>(
  'FST_EDITOR_STORAGE', 503, 'The storage failed: %s'
) {}

/**
 * A document's record or list of versions has a field, a state or a format that this version of the library does not
 * know, because a newer version or another program wrote it. Nothing is changed or deleted, and the document server
 * keeps its saves. Update all instances.
 */
export class UnknownRecordError extends define<[what: 'record' | 'list of versions', fileId: string]>(
  'FST_EDITOR_UNKNOWN_RECORD', 500,
  'The %s of the document "%s" has a format that this version of the library does not know, so nothing is changed: update all instances'
) {}

/** The document has no such version, or no longer. */
export class VersionNotFoundError extends define(
  'FST_EDITOR_VERSION_NOT_FOUND', 404, 'The document has no version with this number'
) {}

/**
 * The document cannot be changed now: it is frozen (`editorSessions.freeze`), or the hook `canEdit` denied it. The
 * message ends with the reason.
 */
export class LockedError extends define<[reason: string]>(
  'FST_EDITOR_LOCKED', 423, 'The document cannot be changed now: %s'
) {}

/** The reason of a `LockedError` if none was given. */
export const NO_REASON = 'it is locked'

/**
 * The document was still being edited after `timeout`. A version was not restored; a document that was to be frozen is
 * frozen.
 */
export class BeingEditedError extends define<[milliseconds: number]>(
  'FST_EDITOR_BEING_EDITED', 409,
  'The document was still being edited after %d ms: repeat the call when everybody has left it',
  { retryable: true }
) {}

/**
 * The hook `inspect` rejected the content: the message is the hook's, for users. The stored document does not change.
 */
export class RejectedError extends define<[message: string]>('FST_EDITOR_REJECTED', 422, '%s') {}

/**
 * The hook `inspect` threw, returned something that cannot be used, or did not finish within `timeouts.inspect`. The
 * content is refused. Correct the hook, or restore the service that it uses.
 */
export class InspectionFailedError extends define<[reason: string]>(
  'FST_EDITOR_INSPECTION_FAILED', 503, 'The hook inspect %s'
) {}

// Outbound requests

/**
 * The URL, or an IP address of its host, is not allowed for this purpose. Options that allow more:
 * `documentServer.origins`, `proxy.allow`, `allowPrivateAddresses`. The status is 403 if a page named the URL.
 */
export class AddressBlockedError extends define<[reason: string], 'statusCode'>(
  'FST_EDITOR_ADDRESS_BLOCKED', 502, 'Blocked: %s'
) {}

/**
 * An outbound request failed, ended early or returned something unusable. Retryable unless the same request would get
 * the same answer, such as status 404.
 */
export class UpstreamError extends define<[reason: string], 'retryable'>(
  'FST_EDITOR_UPSTREAM', 502, 'The upstream request failed: %s', { retryable: true }
) {}

/** An outbound request exceeded one of the `timeouts`. */
export class UpstreamTimeoutError extends define<[reason: string]>(
  'FST_EDITOR_UPSTREAM_TIMEOUT', 504, 'The upstream request took too long: %s'
) {}

/**
 * A saved, converted or proxied file exceeds `maxFileSize`, the body of a callback exceeds `bodyLimit`, a template has
 * more than 64 MiB, or the data of a form more than 16 MiB.
 */
export class TooLargeError extends define<[limit: number]>(
  'FST_EDITOR_TOO_LARGE', 502, 'The content exceeds the limit of %d bytes'
) {}

/**
 * A document key is empty, malformed or not from this application. Nothing was sent, because an empty key means all
 * forgotten files.
 */
export class InvalidKeyError extends define<[reason: string]>('FST_EDITOR_INVALID_KEY', 400, 'The document key %s') {}

/** The document server answered a command with an error: `serverCode` is its code. The message explains it. */
export class CommandFailedError extends define<[command: string, reason: string], 'serverCode'>(
  'FST_EDITOR_COMMAND_FAILED', 502, 'The document server refused the command %s: %s'
) {}

/**
 * A force save was not stored: the document server could not assemble the document or refused the command, or this
 * application refused the save. The message says why, and `cause` is the error, if there is one.
 */
export class ForceSaveFailedError extends define<[reason: string], 'retryable'>(
  'FST_EDITOR_FORCE_SAVE_FAILED', 502, 'The document was not saved: %s'
) {}

/**
 * The outcome of a force save was still unknown after `timeout`. It may be stored later. If this happens often, look
 * for refused callbacks in the log.
 */
export class ForceSaveTimeoutError extends define<[milliseconds: number]>(
  'FST_EDITOR_FORCE_SAVE_TIMEOUT', 504, 'The document server did not report within %d ms that the document is saved'
) {}

/**
 * A conversion did not finish after `maxAttempts` requests or within `timeout`, or a document build within its
 * `timeout`. A conversion goes on at the document server: repeat the call to get its result.
 */
export class ConversionTimeoutError extends define<[work: string, limit: string]>(
  'FST_EDITOR_CONVERSION_TIMEOUT', 504, 'The %s did not finish in the expected time (%s)'
) {}

/**
 * The document server could not convert the document, which the message explains, or returned something other than
 * requested.
 */
export class ConversionFailedError extends define<[reason: string], 'retryable' | 'serverCode'>(
  'FST_EDITOR_CONVERSION_FAILED', 502, 'The document server could not convert the document: %s'
) {}

/** The document builder reported an error, which the message explains, or returned something that cannot be used. */
export class BuildFailedError extends define<[reason: string], 'retryable' | 'serverCode'>(
  'FST_EDITOR_BUILD_FAILED', 502, 'The document builder failed: %s'
) {}
