import type { FastifyRequest } from 'fastify'
import type { EditorControlDefaults } from '../../types/control.js'
import { HookTimeoutError } from '../errors.js'
import type { Services } from '../services.js'
import { withTimeout } from '../util/limits.js'
import { mayUse } from './defaults.js'

/**
 * Asks the hook `canEdit`. Resolves to why the user may not edit the document now, `''` without a reason, or to `null`.
 * Never rejects.
 */
export async function askCanEdit (
  { settings: { canEdit, timeouts }, log, shutdown }: Pick<Services, 'settings' | 'log' | 'shutdown'>,
  fileId: string, defaults: EditorControlDefaults, request: FastifyRequest | undefined
): Promise<string | null> {
  if (!canEdit || !mayUse(defaults, 'change')) return null
  try {
    const answer: unknown = await withTimeout<unknown>(
      () => canEdit({ fileId, user: defaults.user, ...(request && { request }) }),
      {
        milliseconds: timeouts.hooks,
        timeoutError: ms => new HookTimeoutError('canEdit', ms),
        signal: shutdown.endAll
      }
    )
    if (answer === true) return null
    if (answer === false || typeof answer === 'string') return answer || ''
    throw new TypeError('canEdit returned something other than true, false or a reason')
  } catch (err) {
    log.error({ err, fileId }, 'the hook canEdit failed: the document opens for viewing')
    return ''
  }
}
