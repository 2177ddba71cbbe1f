import createError from '@fastify/error'

/** Every error of this library. Where another error caused it, that error is its `cause`. */
export abstract class EditorError extends Error {
  /** Stable: `FST_EDITOR_…`. docs/errors.md lists all of them. */
  declare readonly code: string
  /** HTTP status of the response. */
  declare readonly statusCode: number
  /** Whether the same call may succeed when it is repeated later, with nothing changed in between. */
  declare readonly retryable: boolean
  /** The document server's code, if it answered a command, a conversion or a document build with one. */
  declare readonly serverCode?: number | undefined
}

export interface EditorErrorClass<Arguments extends unknown[]> {
  new (...args: [...Arguments, options?: ErrorOptions]): EditorError
  readonly prototype: EditorError
}

function defineError<Arguments extends unknown[] = []> (
  code: string, statusCode: number, message: string, { retryable = false } = {}
): EditorErrorClass<Arguments> {
  const ErrorClass = createError(code, message, statusCode, EditorError as unknown as ErrorConstructor)
  Object.defineProperty(ErrorClass.prototype, 'retryable', { value: retryable, writable: true })
  return ErrorClass as unknown as EditorErrorClass<Arguments>
}

interface ErrorClassWith<Arguments extends unknown[], Facts> {
  new (...args: [...Arguments, options?: ErrorOptions & { readonly [Name in keyof Facts]?: Facts[Name] | undefined }]):
    EditorError & Facts
  readonly prototype: EditorError & Facts
}

/** Defines an error whose options may say more than the cause. */
function defineErrorWith<Arguments extends unknown[], Facts extends object> (
  code: string, statusCode: number, message: string, defaults: Facts
): ErrorClassWith<Arguments, Facts> {
  return class extends defineError<unknown[]>(code, statusCode, message) {
    constructor (...args: unknown[]) {
      const { cause, ...facts } = (typeof args.at(-1) === 'object' ? args.pop() : {}) as ErrorOptions & Partial<Facts>
      super(...args, ...(cause === undefined ? [] : [{ cause }]))
      for (const name of Object.keys(defaults) as Array<keyof typeof facts>) {
        Object.assign(this, { [name]: facts[name] ?? defaults[name] })
      }
    }
  } as unknown as ErrorClassWith<Arguments, Facts>
}

interface Retryable {
  /** Whether the same call may succeed when it is repeated. */
  readonly retryable: boolean
}

// Configuration and use

/** An option of the plugin, or an argument of a method, has an invalid value. Change it as the message says. */
export const InvalidOptionError = defineError<[option: string, rule: string]>(
  'FST_EDITOR_INVALID_OPTION', 500, 'Option %s %s'
)

/** The plugin was registered twice in one scope. Register it once there, or in sibling scopes. */
export const AlreadyRegisteredError = defineError(
  'FST_EDITOR_ALREADY_REGISTERED', 500,
  'fastify-onlyoffice is already registered in this scope: register it once here, or in sibling scopes'
)

/** The files of the package are not beside its code: a bundler has moved the code. Keep the package external. */
export const BundledError = defineError(
  'FST_EDITOR_BUNDLED', 500,
  'The files of fastify-onlyoffice are not beside its code, as if it was bundled: keep the package external, such as with --external:fastify-onlyoffice of esbuild, and install it where the bundle runs'
)

/** A method of a control needs a document, and none is open. Open one first. */
export const NoDocumentError = defineError(
  'FST_EDITOR_NO_DOCUMENT', 500,
  'The control has no document: await openDocument() or uploadDocument(), or set documentUrl, documentName and documentKey'
)

/**
 * A control was told to open or create a document while it was opening another. Make one for each document with
 * `editorControl()`, or await the first call.
 */
export const ControlBusyError = defineError(
  'FST_EDITOR_CONTROL_BUSY', 500,
  'The control is opening another document: make one for each document with editorControl(), or await the first call'
)

/** The name of a new document has no usable extension. Give it one, such as `Report.docx`. */
export const InvalidNameError = defineError(
  'FST_EDITOR_INVALID_NAME', 400,
  'The document name must end in an extension of 1 to 16 letters or digits, such as Report.docx'
)

/** No editor opens files with this extension. Tell the user which formats you accept. */
export const UnknownFormatError = defineError<[extension: string]>(
  'FST_EDITOR_UNKNOWN_FORMAT', 415, 'The editor opens no .%s files'
)

/**
 * A file that `checkDocument` looked at has no content, and its format is not plain text. Often an upload or a copy has
 * failed before.
 */
export const EmptyDocumentError = defineError('FST_EDITOR_EMPTY_DOCUMENT', 422, 'The file is empty')

/**
 * The content of a file that `checkDocument` looked at is not what its extension says: it was renamed, or something
 * else was saved under its name.
 */
export const WrongFormatError = defineError<[extension: string]>(
  'FST_EDITOR_WRONG_FORMAT', 422, 'The content of the file is not that of a .%s file'
)

/** A file that `checkDocument` looked at is cut off, or parts of it are damaged. Take another copy of it. */
export const DamagedDocumentError = defineError<[extension: string]>(
  'FST_EDITOR_DAMAGED_DOCUMENT', 422, 'The .%s file is damaged or incomplete'
)

/**
 * A stream of content says at its end that it was `truncated`, as those of upload parsers do when their size limit is
 * reached. Nothing was stored. Refuse the upload, or raise the parser's limit.
 */
export const TruncatedContentError = defineError(
  'FST_EDITOR_TRUNCATED_CONTENT', 413, 'The content was cut off by a size limit before it arrived here'
)

/**
 * `authorize` or another hook of the application did not return within `timeouts.hooks`. `authorize` then counts as a
 * denial; the others are logged.
 */
export const HookTimeoutError = defineError<[hook: string, milliseconds: number]>(
  'FST_EDITOR_HOOK_TIMEOUT', 500, 'The hook %s did not finish within %d ms', { retryable: true }
)

// Requests to the handler

/** The handler's `action` is unknown. Take the URL from the control. */
export const UnknownActionError = defineError(
  'FST_EDITOR_UNKNOWN_ACTION', 400, 'Unknown action: use callback, download, proxy or report'
)

/** The action exists, but not for this HTTP method. */
export const MethodNotAllowedError = defineError<[action: string, methods: string]>(
  'FST_EDITOR_METHOD_NOT_ALLOWED', 405, 'The %s action answers %s only'
)

/**
 * Credentials are missing, or a token is invalid. The message says what is wrong and how to fix it; `found` tells which
 * tokens the request had.
 */
export const UnauthorizedError = defineError<[reason: string]>('FST_EDITOR_UNAUTHORIZED', 401, 'Not authorized: %s')

/** The credentials are valid for something else, or the application or a rule denies the request. */
export const ForbiddenError = defineError<[reason: string]>('FST_EDITOR_FORBIDDEN', 403, 'Forbidden: %s')

/**
 * The body of a callback cannot be used: it is malformed or did not arrive in full. The document server is answered
 * `{"error":1}`.
 */
export const InvalidCallbackError = defineError<[reason: string]>(
  'FST_EDITOR_INVALID_CALLBACK', 400, 'The callback cannot be used: %s'
)

/** A report of an editor page cannot be used. Send it as the page's module does. */
export const InvalidReportError = defineError<[reason: string]>(
  'FST_EDITOR_INVALID_REPORT', 400, 'The report cannot be used: %s'
)

/** A request of an editor page to one of its actions cannot be used. Send it as the page's module does. */
export const InvalidActionError = defineError<[reason: string]>(
  'FST_EDITOR_INVALID_ACTION', 400, 'The request of the editor page cannot be used: %s'
)

/** A page has asked for too much in too short a time. The response has the seconds as `retry-after`. */
export const TooManyRequestsError = defineError<[seconds: number]>(
  'FST_EDITOR_TOO_MANY_REQUESTS', 429,
  'The editor page has asked for too much: try again in %d seconds', { retryable: true }
)

/**
 * A hook of the option `actions` threw, rejected or returned something that cannot be used. The page is only told that
 * it failed; if the hook threw an error with a `statusCode` from 400 to 499, the page gets that status.
 */
export class ActionFailedError extends defineErrorWith<[hook: string, reason: string], { readonly statusCode: number }>(
  'FST_EDITOR_ACTION_FAILED', 500, 'The hook actions.%s %s', { statusCode: 500 }
) {}

/** A URL given by a request or by the document server is missing or is not absolute. */
export const InvalidUrlError = defineError('FST_EDITOR_INVALID_URL', 400, 'Invalid URL')

/** A URL given by a request or by the document server is neither http nor https. */
export const UnsupportedSchemeError = defineError('FST_EDITOR_UNSUPPORTED_SCHEME', 400, 'Unsupported URL scheme')

// Storage and saves

/** More would only fill the log. */
const MAX_SHOWN_ID = 255

/** No stored file has this fileId. */
export class FileNotFoundError
  extends defineError<[which: string]>('FST_EDITOR_FILE_NOT_FOUND', 404, 'No stored file has %s') {
  constructor (fileId?: string, { reason, ...options }: ErrorOptions & { readonly reason?: string | undefined } = {}) {
    const why = reason ?? (/\w\.\w{1,16}$/.test(fileId ?? '') ? 'a fileId has no extension' : '')
    const which = fileId === undefined
      ? 'this fileId'
      : `the fileId ${JSON.stringify(fileId.slice(0, MAX_SHOWN_ID))}${why && `: ${why}`}`
    super(which, ...('cause' in options ? [options] : []))
  }
}

/**
 * The document changes its format, and another document already has the name it would get. A save then becomes a
 * conflict copy.
 */
export const NameTakenError = defineError(
  'FST_EDITOR_NAME_TAKEN', 409, 'Another document has the name that this one would have in its new format'
)

/**
 * The document server could not assemble the edited document (status 3), and `policies.corrupted` is `keep`: it is
 * answered `{"error":1}` and keeps the changes.
 */
export const CorruptedDocumentError = defineError(
  'FST_EDITOR_CORRUPTED_DOCUMENT', 500,
  'The document server could not assemble the edited document; it keeps the changes'
)

/**
 * Other saves or instances changed the document or its record all the time. The save is refused, and the document
 * server keeps it.
 */
export const BusyError = defineError<[reason: string]>(
  'FST_EDITOR_BUSY', 500, 'The document is busy: %s', { retryable: true }
)

/** A method of the storage did not finish within `timeouts.storage`. */
export const StorageTimeoutError = defineError<[method: string, milliseconds: number]>(
  'FST_EDITOR_STORAGE_TIMEOUT', 500, 'The storage\'s %s did not finish within %d ms', { retryable: true }
)

/**
 * An object store or a database refused a request or did not answer, or something in it is damaged or missing. The
 * message says which; `cause` has the store's status and request ID, or the database's SQLSTATE as its `code`. If it is
 * not retryable, correct the permissions or the configuration of the storage.
 */
export class StorageError extends defineErrorWith<[reason: string], Retryable>(
  'FST_EDITOR_STORAGE', 500, 'The storage failed: %s', { retryable: true }
) {}

/**
 * What is stored about a document (its record, the list of its versions) has a field, a state or a format that this
 * version of the library does not know: a newer version has written it, or another program. Nothing is changed or
 * deleted, and the document server keeps what it wants to save. Update all instances.
 */
export const UnknownRecordError = defineError<[what: 'record' | 'list of versions', fileId: string]>(
  'FST_EDITOR_UNKNOWN_RECORD', 500,
  'The %s of the document "%s" has a format that this version of the library does not know, so nothing is changed: update all instances'
)

/** The document has no version with this number, or it is not kept any more. */
export const VersionNotFoundError = defineError(
  'FST_EDITOR_VERSION_NOT_FOUND', 404, 'The document has no version with this number'
)

/**
 * The document may not be changed now: it is frozen (`editorSessions.freeze`), or the hook `canEdit` denied it. The
 * message ends with the reason.
 */
export const LockedError = defineError<[reason: string]>(
  'FST_EDITOR_LOCKED', 423, 'The document may not be changed now: %s'
)

/** For `LockedError`, if none was given. */
export const NO_REASON = 'it is locked'

/**
 * The document was still being edited after `timeout`: a version cannot be restored then. A document that was to be
 * frozen is frozen.
 */
export const BeingEditedError = defineError<[milliseconds: number]>(
  'FST_EDITOR_BEING_EDITED', 409,
  'The document was still being edited after %d ms: repeat the call when everybody has left it', { retryable: true }
)

/** The hook `inspect` has rejected the content: the message is its own, for users. What is stored stays. */
export const RejectedError = defineError<[message: string]>('FST_EDITOR_REJECTED', 422, '%s')

/**
 * The hook `inspect` threw, returned something that cannot be used, or did not finish within `timeouts.inspect`. The
 * content is refused; correct the hook, or make what it asks available.
 */
export const InspectionFailedError = defineError<[reason: string]>(
  'FST_EDITOR_INSPECTION_FAILED', 500, 'The hook inspect %s', { retryable: true }
)

// Outbound requests

/**
 * The URL, or an IP address that its host resolves to, is not allowed for this purpose. Options that allow more:
 * `documentServer.origins`, `proxy.allow`, `allowPrivateAddresses`.
 */
export const AddressBlockedError = defineError<[reason: string]>('FST_EDITOR_ADDRESS_BLOCKED', 403, 'Blocked: %s')

/**
 * An outbound request failed, ended early or returned something unusable. Retryable unless the same request would get
 * the same answer, such as status 404.
 */
export class UpstreamError extends defineErrorWith<[reason: string], Retryable>(
  'FST_EDITOR_UPSTREAM', 502, 'The upstream request failed: %s', { retryable: true }
) {}

/** An outbound request exceeded one of the `timeouts`. */
export const UpstreamTimeoutError = defineError<[reason: string]>(
  'FST_EDITOR_UPSTREAM_TIMEOUT', 504, 'The upstream request took too long: %s', { retryable: true }
)

/**
 * A saved, converted or proxied file exceeds `maxFileSize`, the body of a callback exceeds `bodyLimit`, a template has
 * more than 64 MiB, or the data of a form more than 4 MiB.
 */
export const TooLargeError = defineError<[limit: number]>(
  'FST_EDITOR_TOO_LARGE', 502, 'The content exceeds the limit of %d bytes'
)

/**
 * A document key is empty, malformed or not one of this application. Nothing was sent: an empty key means all forgotten
 * files.
 */
export const InvalidKeyError = defineError<[reason: string]>('FST_EDITOR_INVALID_KEY', 400, 'The document key %s')

/** No document server answers a command with it. */
const UNKNOWN_CODE = -1

/** The document server answered a command with an error: `serverCode` is its code. The message explains it. */
export class CommandFailedError
  extends defineErrorWith<[command: string, reason: string], { readonly serverCode: number }>(
    'FST_EDITOR_COMMAND_FAILED', 502, 'The document server refused the command %s: %s', { serverCode: UNKNOWN_CODE }
  ) {}

/**
 * A force save was not stored: the document server could not assemble the document or refused the command, or its save
 * was refused here. The message says why, and `cause` is the error where there is one.
 */
export class ForceSaveFailedError extends defineErrorWith<[reason: string], Retryable>(
  'FST_EDITOR_FORCE_SAVE_FAILED', 502, 'The document was not saved: %s', { retryable: false }
) {}

/**
 * The outcome of a force save was unknown after `timeout`. It may be stored later. If this happens often, look in the
 * log for callbacks that were refused.
 */
export const ForceSaveTimeoutError = defineError<[milliseconds: number]>(
  'FST_EDITOR_FORCE_SAVE_TIMEOUT', 504,
  'The document server did not report within %d ms that the document is saved', { retryable: true }
)

/**
 * A conversion was not finished after `maxAttempts` requests or within `timeout`, or a document build within its
 * `timeout`. Converting goes on: the same conversion later gets its result.
 */
export const ConversionTimeoutError = defineError<[work: string, limit: string]>(
  'FST_EDITOR_CONVERSION_TIMEOUT', 504, 'The %s did not finish in the expected time (%s)', { retryable: true }
)

/** Errors of a conversion or a document build that the document server has answered. */
interface OfService extends Retryable {
  /**
   * The document server's code, from -1 to -10; `undefined` if it sent none. Source:
   * emulator/docs/document-server-protocol.md#conversion
   */
  readonly serverCode: number | undefined
}
const ofService: OfService = { serverCode: undefined, retryable: false }

/**
 * The document server reported that it cannot convert the document, or returned something other than what was
 * requested. The message explains its error.
 */
export class ConversionFailedError extends defineErrorWith<[reason: string], OfService>(
  'FST_EDITOR_CONVERSION_FAILED', 502, 'The document server could not convert the document: %s', ofService
) {}

/** The document builder reported an error, which the message explains, or returned something that cannot be used. */
export class BuildFailedError extends defineErrorWith<[reason: string], OfService>(
  'FST_EDITOR_BUILD_FAILED', 502, 'The document builder failed: %s', ofService
) {}
