import { StorageError, StorageTimeoutError } from '../../errors.js'

interface ServiceFailure {
  readonly name?: unknown
  /** Of a connection: `ECONNREFUSED`. */
  readonly code?: unknown
  readonly message?: unknown
  readonly $metadata?: { readonly httpStatusCode?: unknown, readonly requestId?: unknown, readonly attempts?: unknown }
}

/** What a `StorageError` of a request has as its cause. */
interface StoreCause extends Error {
  /** Of the answer; missing if there was none. */
  readonly status?: number
  readonly requestId?: string
  /** How often the SDK has sent the request. */
  readonly attempts?: number
}

const MAX_MESSAGE_LENGTH = 200
/** What a message could contain that must not get into a log. */
const CONFIDENTIAL = /key|sign|credential|token|secret|authorization|:\/\//i
/** Answers that the same request may not get again, although their statuses say so. */
const TRANSIENT_NAMES = new Set([
  'SlowDown',
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'ThrottlingException',
  'Throttling',
  'TooManyRequests',
  'OperationAborted',
  'ConditionalRequestConflict'
])

/**
 * The error of a request as one of ours. The SDK's own errors contain access keys and signed texts, so of those only
 * name, message, status and request ID are kept.
 */
export function storeError (operation: string, error: unknown): Error {
  if (error instanceof StorageError || error instanceof StorageTimeoutError) return error
  const { name: ownName, code, $metadata } = error as ServiceFailure
  const name = ownName === 'Error' ? code : ownName
  const status = typeof $metadata?.httpStatusCode === 'number' ? $metadata.httpStatusCode : undefined
  const safeName = typeof name === 'string' && /^\w{1,64}$/.test(name) ? name : 'Error'
  const isTransient = status === undefined || status >= 500 || status === 408 || status === 429 ||
    TRANSIENT_NAMES.has(safeName)
  return new StorageError(`${operation} failed: ${safeName}${status === undefined ? '' : `, status ${status}`}`, {
    cause: plainCause(error as ServiceFailure, safeName, status),
    retryable: isTransient
  })
}

export function incompleteError (operation: string): Error {
  return new StorageError(`the answer to ${operation} was cut off`)
}

export function damagedError (operation: string): Error {
  return new StorageError(`the answer to ${operation} has another checksum than its body`)
}

function plainCause ({ message, $metadata }: ServiceFailure, name: string, status: number | undefined): StoreCause {
  const text = typeof message === 'string' && !CONFIDENTIAL.test(message) ? message.slice(0, MAX_MESSAGE_LENGTH) : ''
  const { requestId, attempts } = $metadata ?? {}
  return Object.assign(
    new Error(text),
    { name },
    status !== undefined && { status },
    typeof requestId === 'string' && { requestId },
    typeof attempts === 'number' && { attempts }
  )
}

/** The status of the answer that an error was made from. */
export function statusOf (error: unknown): number | undefined {
  return ((error as Error | undefined)?.cause as StoreCause | undefined)?.status
}

/** The store's name of an error. */
export function nameOf (error: unknown): string | undefined {
  return ((error as Error | undefined)?.cause as StoreCause | undefined)?.name
}

export function isMissingBucket (error: unknown): boolean {
  return (error as Error).name === 'NoSuchBucket' || nameOf(error) === 'NoSuchBucket'
}

/** Of an error of the SDK: there is no such object, or no such upload. */
export function isNotFound (error: unknown): boolean {
  return (error as ServiceFailure).$metadata?.httpStatusCode === 404 && !isMissingBucket(error)
}

/**
 * The condition of a write did not hold. Or it did, and the answer that said so was lost: the SDK repeats requests by
 * itself.
 */
export function isConflict (error: unknown): boolean {
  return error instanceof StorageError && [404, 409, 412].includes(statusOf(error) ?? 0) && !isMissingBucket(error)
}

/** The condition of a write did not hold, and this is the answer to the only request that was sent. */
export function isCertainConflict (error: unknown): boolean {
  return isConflict(error) && statusOf(error) === 412 && ((error as Error).cause as StoreCause).attempts === 1
}
