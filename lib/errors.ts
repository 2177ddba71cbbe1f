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
  code: string,
  message: string,
  statusCode: number,
  { retryable = false } = {}
): EditorErrorClass<Arguments> {
  const ErrorClass = createError(code, message, statusCode, EditorError as unknown as ErrorConstructor)
  Object.defineProperty(ErrorClass.prototype, 'retryable', { value: retryable, writable: true })
  return ErrorClass as unknown as EditorErrorClass<Arguments>
}

// Configuration and use

/** An option of the plugin, or an argument of a method, has an invalid value. Change it as the message says. */
export const InvalidOptionError = defineError<[option: string, rule: string]>(
  'FST_EDITOR_INVALID_OPTION',
  'Option %s %s',
  500
)

/** The plugin was registered twice in one scope. Register it once there, or in sibling scopes. */
export const AlreadyRegisteredError = defineError(
  'FST_EDITOR_ALREADY_REGISTERED',
  'fastify-onlyoffice is already registered in this scope: register it once here, or in sibling scopes',
  500
)

/** A method of a control needs a document, and none is open. Open one first. */
export const NoDocumentError = defineError(
  'FST_EDITOR_NO_DOCUMENT',
  'The control has no document: await openDocument() or setDocumentFromBytes(), or set documentUrl, documentName and documentKey',
  500
)

/** The name of a new document has no usable extension. Give it one, such as `Report.docx`. */
export const InvalidNameError = defineError(
  'FST_EDITOR_INVALID_NAME',
  'The document name must end in an extension of 1 to 16 letters or digits, such as Report.docx',
  400
)

/** No editor opens files with this extension. Tell the user which formats you accept. */
export const UnknownFormatError = defineError<[extension: string]>(
  'FST_EDITOR_UNKNOWN_FORMAT',
  'The editor opens no .%s files',
  415
)

/**
 * A file that `checkDocument` looked at has no content, and its format is not plain text. Often an upload or a copy has
 * failed before.
 */
export const EmptyDocumentError = defineError('FST_EDITOR_EMPTY_DOCUMENT', 'The file is empty', 422)

/**
 * The content of a file that `checkDocument` looked at is not what its extension says: it was renamed, or something
 * else was saved under its name.
 */
export const WrongFormatError = defineError<[extension: string]>(
  'FST_EDITOR_WRONG_FORMAT',
  'The content of the file is not that of a .%s file',
  422
)

/** A file that `checkDocument` looked at is cut off, or parts of it are damaged. Take another copy of it. */
export const DamagedDocumentError = defineError<[extension: string]>(
  'FST_EDITOR_DAMAGED_DOCUMENT',
  'The .%s file is damaged or incomplete',
  422
)

/**
 * `authorize` or another hook of the application did not return within `timeouts.hooks`. `authorize` then counts as a
 * denial; the others are logged.
 */
export const HookTimeoutError = defineError<[hook: string, milliseconds: number]>(
  'FST_EDITOR_HOOK_TIMEOUT',
  'The hook %s did not finish within %d ms',
  500,
  { retryable: true }
)

// Requests to the handler

/** The handler's `action` is unknown. Take the URL from the control. */
export const UnknownActionError = defineError(
  'FST_EDITOR_UNKNOWN_ACTION',
  'Unknown action: use callback, download, proxy or report',
  400
)

/** The action exists, but not for this HTTP method. */
export const MethodNotAllowedError = defineError<[action: string, methods: string]>(
  'FST_EDITOR_METHOD_NOT_ALLOWED',
  'The %s action answers %s only',
  405
)

/**
 * Credentials are missing, or a token is invalid. The message says what is wrong and how to fix it; `found` tells which
 * tokens the request had.
 */
export const UnauthorizedError = defineError<[reason: string]>('FST_EDITOR_UNAUTHORIZED', 'Not authorized: %s', 401)

/** The credentials are valid for something else, or the application or a rule denies the request. */
export const ForbiddenError = defineError<[reason: string]>('FST_EDITOR_FORBIDDEN', 'Forbidden: %s', 403)

/**
 * The body of a callback cannot be used: it is malformed or did not arrive in full. The document server is answered
 * `{"error":1}`.
 */
export const InvalidCallbackError = defineError<[reason: string]>(
  'FST_EDITOR_INVALID_CALLBACK',
  'The callback cannot be used: %s',
  400
)

/** A report of an editor page cannot be used. Send it as the page's module does. */
export const InvalidReportError = defineError<[reason: string]>(
  'FST_EDITOR_INVALID_REPORT',
  'The report cannot be used: %s',
  400
)

/** A request of an editor page to one of its actions cannot be used. Send it as the page's module does. */
export const InvalidActionError = defineError<[reason: string]>(
  'FST_EDITOR_INVALID_ACTION',
  'The request of the editor page cannot be used: %s',
  400
)

/** A page has asked for too much in too short a time. The response has the seconds as `retry-after`. */
export const TooManyRequestsError = defineError<[seconds: number]>(
  'FST_EDITOR_TOO_MANY_REQUESTS',
  'The editor page has asked for too much: try again in %d seconds',
  429,
  { retryable: true }
)

/** Options of the constructor of `ActionFailedError`. */
export interface ActionFailure extends ErrorOptions {
  /** Default: 500. */
  readonly statusCode?: number
}

/**
 * A hook of the option `actions` threw, rejected or returned something that cannot be used. The page is only told that
 * it failed; if the hook threw an error with a `statusCode` from 400 to 499, the page gets that status.
 */
export class ActionFailedError
  extends defineError<[hook: string, reason: string]>('FST_EDITOR_ACTION_FAILED', 'The hook actions.%s %s', 500) {
  override readonly statusCode: number

  constructor (hook: string, reason: string, { cause, statusCode = 500 }: ActionFailure = {}) {
    super(hook, reason, ...(cause === undefined ? [] : [{ cause }]))
    this.statusCode = statusCode
  }
}

/** A URL given by a request or by the document server is missing or is not absolute. */
export const InvalidUrlError = defineError('FST_EDITOR_INVALID_URL', 'Invalid URL', 400)

/** A URL given by a request or by the document server is neither http nor https. */
export const UnsupportedSchemeError = defineError('FST_EDITOR_UNSUPPORTED_SCHEME', 'Unsupported URL scheme', 400)

// Storage and saves

/** More would only fill the log. */
const MAX_SHOWN_ID = 255

/** No stored file has this fileId. */
export class FileNotFoundError
  extends defineError<[which: string]>('FST_EDITOR_FILE_NOT_FOUND', 'No stored file has %s', 404) {
  constructor (fileId?: string, options?: ErrorOptions) {
    const hint = /\w\.\w{1,16}$/.test(fileId ?? '') ? ': a fileId has no extension' : ''
    const which = fileId === undefined
      ? 'this fileId'
      : `the fileId ${JSON.stringify(fileId.slice(0, MAX_SHOWN_ID))}${hint}`
    super(which, ...(options ? [options] : []))
  }
}

/**
 * The document changes its format, and another document already has the name it would get. A save then becomes a
 * conflict copy.
 */
export const NameTakenError = defineError(
  'FST_EDITOR_NAME_TAKEN',
  'Another document has the name that this one would have in its new format',
  409
)

/**
 * The document server could not assemble the edited document (status 3), and `policies.corrupted` is `keep`: it is
 * answered `{"error":1}` and keeps the changes.
 */
export const CorruptedDocumentError = defineError(
  'FST_EDITOR_CORRUPTED_DOCUMENT',
  'The document server could not assemble the edited document; it keeps the changes',
  500
)

/**
 * Other saves or instances changed the document or its record all the time. The save is refused, and the document
 * server keeps it.
 */
export const BusyError = defineError<[reason: string]>('FST_EDITOR_BUSY', 'The document is busy: %s', 500, {
  retryable: true
})

/**
 * Another instance assumed that this one had died and took over before the save was published. It is fetched again, up
 * to three times.
 */
export const RevokedError = defineError(
  'FST_EDITOR_REVOKED',
  'Another instance took over before the document was published',
  500,
  { retryable: true }
)

/** A method of the storage did not finish within `timeouts.storage`. */
export const StorageTimeoutError = defineError<[method: string, milliseconds: number]>(
  'FST_EDITOR_STORAGE_TIMEOUT',
  'The storage\'s %s did not finish within %d ms',
  500,
  { retryable: true }
)

/** Options of the constructor of `StorageError`. */
export interface StorageFailure extends ErrorOptions {
  /** Whether the same call may succeed when it is repeated. Default: true. */
  readonly retryable?: boolean
}

/**
 * An object store refused a request or did not answer, or an object in it is damaged or missing. The message says
 * which; `cause` has the store's status and request ID. If it is not retryable, correct the permissions or the
 * configuration of the store.
 */
export class StorageError
  extends defineError<[reason: string]>('FST_EDITOR_STORAGE', 'The object store failed: %s', 500) {
  override readonly retryable: boolean

  constructor (reason: string, { cause, retryable = true }: StorageFailure = {}) {
    super(reason, ...(cause === undefined ? [] : [{ cause }]))
    this.retryable = retryable
  }
}

/** The document has no version with this number, or it is not kept any more. */
export const VersionNotFoundError = defineError(
  'FST_EDITOR_VERSION_NOT_FOUND',
  'The document has no version with this number',
  404
)

/** A version cannot be restored while the document is edited: everybody must leave it first. */
export const BeingEditedError = defineError<[milliseconds: number]>(
  'FST_EDITOR_BEING_EDITED',
  'The document was still being edited after %d ms: it can be restored when everybody has left it',
  409,
  { retryable: true }
)

/**
 * The storage replaced a document without calling `beforePublish`: its previous version could not be kept. The storage
 * has to be corrected.
 */
export const VersionNotKeptError = defineError(
  'FST_EDITOR_VERSION_NOT_KEPT',
  'The storage did not call beforePublish: the previous version could not be kept',
  500
)

// Outbound requests

/**
 * The URL, or an IP address that its host resolves to, is not allowed for this purpose. Options that allow more:
 * `documentServer.origins`, `proxy.allow`, `allowPrivateAddresses`.
 */
export const AddressBlockedError = defineError<[reason: string]>('FST_EDITOR_ADDRESS_BLOCKED', 'Blocked: %s', 403)

/**
 * An outbound request failed, ended early or returned something unusable. Retryable unless the same request would get
 * the same answer, such as status 404.
 */
export class UpstreamError
  extends defineError<[reason: string]>('FST_EDITOR_UPSTREAM', 'The upstream request failed: %s', 502) {
  override readonly retryable: boolean

  constructor (reason: string, { cause, retryable = true }: ErrorOptions & { readonly retryable?: boolean } = {}) {
    super(reason, ...(cause === undefined ? [] : [{ cause }]))
    this.retryable = retryable
  }
}

/** An outbound request exceeded one of the `timeouts`. */
export const UpstreamTimeoutError = defineError<[reason: string]>(
  'FST_EDITOR_UPSTREAM_TIMEOUT',
  'The upstream request took too long: %s',
  504,
  { retryable: true }
)

/** A saved, converted or proxied file exceeds `maxFileSize`, or the body of a callback exceeds `bodyLimit`. */
export const TooLargeError = defineError<[limit: number]>(
  'FST_EDITOR_TOO_LARGE',
  'The content exceeds the limit of %d bytes',
  502
)

/**
 * A document key is empty, malformed or not one of this application. Nothing was sent: an empty key means all forgotten
 * files.
 */
export const InvalidKeyError = defineError<[reason: string]>('FST_EDITOR_INVALID_KEY', 'The document key %s', 400)

/** No document server answers a command with it. */
const UNKNOWN_CODE = -1

/** The document server answered a command with an error: `serverCode` is its code. The message explains it. */
export class CommandFailedError
  extends defineError<[command: string, reason: string]>(
    'FST_EDITOR_COMMAND_FAILED',
    'The document server refused the command %s: %s',
    502
  ) {
  /** Source: docs/document-server-protocol.md#commands */
  override readonly serverCode: number

  constructor (
    command: string,
    reason: string,
    { serverCode = UNKNOWN_CODE, cause }: ErrorOptions & { readonly serverCode?: number } = {}
  ) {
    super(command, reason, ...(cause === undefined ? [] : [{ cause }]))
    this.serverCode = serverCode
  }
}

/** `recoverForgotten` was called in a hook that another run of it waits for. Call it when the hook has returned. */
export const NestedRecoveryError = defineError(
  'FST_EDITOR_NESTED_RECOVERY',
  'recoverForgotten was called in a hook that another run of it waits for: call it when the hook has returned',
  500
)

/**
 * A force save was not stored: the document server could not assemble the document or refused the command, or its save
 * was refused here. The message says why, and `cause` is the error where there is one.
 */
export class ForceSaveFailedError
  extends defineError<[reason: string]>('FST_EDITOR_FORCE_SAVE_FAILED', 'The document was not saved: %s', 502) {
  override readonly retryable: boolean

  constructor (reason: string, { cause, retryable = false }: ErrorOptions & { readonly retryable?: boolean } = {}) {
    super(reason, ...(cause === undefined ? [] : [{ cause }]))
    this.retryable = retryable
  }
}

/**
 * The outcome of a force save was unknown after `timeout`. It may be stored later. If this happens often, look in the
 * log for callbacks that were refused.
 */
export const ForceSaveTimeoutError = defineError<[milliseconds: number]>(
  'FST_EDITOR_FORCE_SAVE_TIMEOUT',
  'The document server did not report within %d ms that the document is saved',
  504,
  { retryable: true }
)

/**
 * A conversion was not finished after `maxAttempts` requests or within `timeout`, or a document build within its
 * `timeout`. Converting goes on: the same conversion later gets its result.
 */
export const ConversionTimeoutError = defineError<[work: string, limit: string]>(
  'FST_EDITOR_CONVERSION_TIMEOUT',
  'The %s did not finish in the expected time (%s)',
  504,
  { retryable: true }
)

/** Options of the constructor of an error that the document server has answered. */
export interface ServiceErrorOptions extends ErrorOptions {
  /** The document server's code. */
  readonly serverCode?: number
  /** Whether the same call may succeed when it is repeated. Default: false. */
  readonly retryable?: boolean
}

function defineServiceError (code: string, message: string) {
  return class extends defineError<[reason: string]>(code, message, 502) {
    /**
     * The document server's code, from -1 to -10; `undefined` if it sent none. Source:
     * docs/document-server-protocol.md#conversion
     */
    override readonly serverCode: number | undefined
    override readonly retryable: boolean

    constructor (reason: string, { cause, serverCode, retryable = false }: ServiceErrorOptions = {}) {
      super(reason, ...(cause === undefined ? [] : [{ cause }]))
      this.serverCode = serverCode
      this.retryable = retryable
    }
  }
}

/**
 * The document server reported that it cannot convert the document, or returned something other than what was
 * requested. The message explains its error.
 */
export class ConversionFailedError
  extends defineServiceError(
    'FST_EDITOR_CONVERSION_FAILED',
    'The document server could not convert the document: %s'
  ) {}

/** The document builder reported an error, which the message explains, or returned something that cannot be used. */
export class BuildFailedError
  extends defineServiceError('FST_EDITOR_BUILD_FAILED', 'The document builder failed: %s') {}
