import { StorageError, StorageTimeoutError } from '../../errors.js'

interface ServiceFailure {
  readonly name?: unknown
  /** Code of a connection error, such as `ECONNREFUSED`. */
  readonly code?: unknown
  readonly message?: unknown
  readonly $metadata?: { readonly httpStatusCode?: unknown, readonly requestId?: unknown, readonly attempts?: unknown }
}

/** The cause of a `StorageError` about a request. */
interface StoreCause extends Error {
  /** Status of the answer; absent if there was none. */
  readonly status?: number
  readonly requestId?: string
  /** How often the SDK has sent the request. */
  readonly attempts?: number
}

const MAX_MESSAGE_LENGTH = 200
/** Messages that match may contain secrets, which must not be logged. */
const CONFIDENTIAL = /key|sign|credential|token|secret|authorization|:\/\//i
/** Errors that are transient although their statuses indicate otherwise. */
const TRANSIENT_NAMES = new Set([
  'SlowDown', 'RequestTimeout', 'RequestTimeTooSkewed', 'ThrottlingException', 'Throttling', 'TooManyRequests',
  'OperationAborted', 'ConditionalRequestConflict'
])

/**
 * Converts the error of a request into an error of this library. The SDK's errors contain access keys and signed texts,
 * so only name, message, status, request ID and the number of attempts are kept.
 */
export function storeError (operation: string, error: unknown): Error {
  if (error instanceof StorageError || error instanceof StorageTimeoutError) return error
  const { name: ownName, code, message, $metadata = {} } = error as ServiceFailure
  const { httpStatusCode, requestId, attempts } = $metadata
  const status = typeof httpStatusCode === 'number' ? httpStatusCode : undefined
  const givenName = ownName === 'Error' ? code : ownName
  const name = typeof givenName === 'string' && /^\w{1,64}$/.test(givenName) ? givenName : 'Error'
  const text = typeof message === 'string' && !CONFIDENTIAL.test(message) ? message.slice(0, MAX_MESSAGE_LENGTH) : ''
  const cause: StoreCause = Object.assign(
    new Error(text),
    { name },
    status !== undefined && { status },
    typeof requestId === 'string' && { requestId },
    typeof attempts === 'number' && { attempts }
  )
  const isTransient = status === undefined || status >= 500 || status === 408 || status === 429 ||
    TRANSIENT_NAMES.has(name)
  return new StorageError(`${operation} failed: ${name}${status === undefined ? '' : `, status ${status}`}`, {
    cause,
    retryable: isTransient
  })
}

/** The status of the answer that caused an error. */
export function statusOf (error: unknown): number | undefined {
  return ((error as Error | undefined)?.cause as StoreCause | undefined)?.status
}

/** The name that the store gave an error. */
export function nameOf (error: unknown): string | undefined {
  return ((error as Error | undefined)?.cause as StoreCause | undefined)?.name
}

export function isMissingBucket (error: unknown): boolean {
  return nameOf(error) === 'NoSuchBucket'
}

/** The object or upload does not exist. */
export function isNotFound (error: unknown): boolean {
  return statusOf(error) === 404 && !isMissingBucket(error)
}

/** The condition of a write did not hold, or it did and the answer was lost: the SDK repeats requests by itself. */
export function isConflict (error: unknown): boolean {
  return error instanceof StorageError && [404, 409, 412].includes(statusOf(error) ?? 0) && !isMissingBucket(error)
}

/** The condition of a write certainly did not hold: only one request was sent. */
export function isCertainConflict (error: unknown): boolean {
  return isConflict(error) && statusOf(error) === 412 && ((error as Error).cause as StoreCause).attempts === 1
}
