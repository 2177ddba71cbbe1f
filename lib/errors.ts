import createError from '@fastify/error'

type With<Arguments extends unknown[]> = [...Arguments, options?: ErrorOptions]

/**
 * Every error this library throws. Each has a stable `code`, a `statusCode` for an HTTP answer
 * and, where another error led to it, that error as `cause`.
 */
export const InvalidOptionError = createError<With<[string, string]>>('FST_EDITOR_INVALID_OPTION', 'Option %s %s', 500)
export const AlreadyRegisteredError = createError<With<[]>>('FST_EDITOR_ALREADY_REGISTERED', 'fastify-onlyoffice is already registered in this scope: register it once here, or in sibling scopes', 500)
export const InvalidUrlError = createError<With<[]>>('FST_EDITOR_INVALID_URL', 'Invalid URL', 400)
export const UnsupportedSchemeError = createError<With<[]>>('FST_EDITOR_UNSUPPORTED_SCHEME', 'Unsupported URL scheme', 400)
export const UnknownActionError = createError<With<[]>>('FST_EDITOR_UNKNOWN_ACTION', 'Unknown action: use callback, download or proxy', 400)
export const MethodNotAllowedError = createError<With<[string, string]>>('FST_EDITOR_METHOD_NOT_ALLOWED', 'The %s action answers %s only', 405)
export const FileNotFoundError = createError<With<[]>>('FST_EDITOR_FILE_NOT_FOUND', 'No stored file has this fileId', 404)
export const UnauthorizedError = createError<With<[string]>>('FST_EDITOR_UNAUTHORIZED', 'Not authorized: %s', 401)
export const ForbiddenError = createError<With<[string]>>('FST_EDITOR_FORBIDDEN', 'Forbidden: %s', 403)
export const AddressBlockedError = createError<With<[string]>>('FST_EDITOR_ADDRESS_BLOCKED', 'The address %s', 403)
export const UpstreamError = createError<With<[string]>>('FST_EDITOR_UPSTREAM', 'The upstream request failed: %s', 502)
export const UpstreamTimeoutError = createError<With<[string]>>('FST_EDITOR_UPSTREAM_TIMEOUT', 'The upstream request took too long: %s', 504)
export const TooLargeError = createError<With<[number]>>('FST_EDITOR_TOO_LARGE', 'The content exceeds the limit of %d bytes', 502)
export const InvalidCallbackError = createError<With<[string]>>('FST_EDITOR_INVALID_CALLBACK', 'The callback cannot be used: %s', 400)
export const InvalidNameError = createError<With<[]>>('FST_EDITOR_INVALID_NAME', 'The document name must end in an extension of 1 to 16 letters or digits, such as Report.docx', 400)
export const NameTakenError = createError<With<[]>>('FST_EDITOR_NAME_TAKEN', 'Another document has the name that this one would have in its new format', 409)
export const BusyError = createError<With<[number]>>('FST_EDITOR_BUSY', 'Others were publishing the document for more than %d ms', 500)
export const RevokedError = createError<With<[]>>('FST_EDITOR_REVOKED', 'Another instance took over before the document was published', 500)
export const NoDocumentError = createError<With<[]>>('FST_EDITOR_NO_DOCUMENT', 'The control has no document: call openDocument() or setDocumentFromBytes(), or set documentUrl, documentName and documentKey', 500)
export const HostTimeoutError = createError<With<[string, number]>>('FST_EDITOR_HOST_TIMEOUT', '%s did not end within %d ms', 500)
export const ConversionTimeoutError = createError<With<[number]>>('FST_EDITOR_CONVERSION_TIMEOUT', 'The PDF conversion did not finish in the expected time (%d attempts)', 504)
export const ConversionFailedError = createError<With<[string]>>('FST_EDITOR_CONVERSION_FAILED', 'The document server could not convert the document: %s', 502)
