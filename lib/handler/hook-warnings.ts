import type { FastifyError, FastifyRequest } from 'fastify'
import { LOGIN_GUIDE } from '../doctor/guide.js'
import { lineLimit } from './line-limit.js'

/** A request of the document server that the plugin never saw. */
export interface EndedByHook {
  readonly fileId: string
  readonly action: 'callback' | 'download'
  readonly httpStatus: number
  /** What the hook has thrown. */
  readonly error: FastifyError | undefined
}

const INTERVAL_MS = 10 * 60_000
/** More than there are statuses in use. */
const MAX_LINES = 50

const consequences = {
  callback: 'changes are not saved',
  download: 'documents cannot be opened'
} as const

/** Warns that a hook of the application keeps requests of the document server from the plugin: once for each action and status in a while. */
export function createHookWarnings () {
  const isDue = lineLimit({ interval: INTERVAL_MS, max: MAX_LINES })

  return function warn (request: FastifyRequest, { fileId, action, httpStatus, error }: EndedByHook): void {
    if (!isDue(`${action} ${httpStatus}`)) return
    request.log.warn({ fileId, httpStatus, ...(error && { err: error }) }, `a hook of the application ended a ${action} of the document server with status ${httpStatus}, before the plugin: ${consequences[action]}. ${remedyOf(httpStatus)} See ${LOGIN_GUIDE}`)
  }
}

function remedyOf (httpStatus: number): string {
  if (httpStatus === 429) return 'Give the document server a higher limit, or none: all its requests come from one IP address.'
  if (httpStatus === 503) return 'It tries again, if the load falls.'
  return 'It has no login: let requests pass whose routeOptions.config.editor.caller is \'document-server\'. The plugin verifies them.'
}
