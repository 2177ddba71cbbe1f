import type { StagedContent } from '../../types/storage.js'
import { isDetails } from './version-details.compiled.js'
import type { Details, Made } from './version-details.schema.js'

export type { Details, Made } from './version-details.schema.js'

/** What is known of content that is about to replace another one. */
export interface NewVersion {
  readonly made: Made
  /** The document server's data of its changes. */
  readonly changes?: StagedContent | undefined
}

/** Anything else was put there by another program. */
export function detailsOf (value: unknown): Details {
  return isDetails(value) ? value : {}
}

/**
 * No document server and no application has longer ones for a good reason: details must fit into what storages take.
 */
export const MAX_TEXT_LENGTH = 255

/** Who made a version, as far as it can be kept. */
export function madeBy ({ id, name }: { readonly id?: unknown, readonly name?: unknown } = {}): Pick<Made, 'user'> {
  if (typeof id !== 'string') return {}
  return {
    user: { id: id.slice(0, MAX_TEXT_LENGTH), name: typeof name === 'string' ? name.slice(0, MAX_TEXT_LENGTH) : '' }
  }
}

/** How the content with this revision came about, by the details of the version that it superseded. */
export function madeAfter (previous: Details, revision: string): Made | undefined {
  if (previous.next === undefined) return undefined
  const { revision: published, ...made } = previous.next
  return published === undefined || published === revision ? made : undefined
}
