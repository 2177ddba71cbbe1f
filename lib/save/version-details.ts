import type { StagedContent } from '../../types/storage.js'
import { isDetails } from './version-details.compiled.js'
import type { Details, Made } from './version-details.schema.js'

export type { Details, Made } from './version-details.schema.js'

/** Describes content that is about to replace the stored content. */
export interface NewVersion {
  readonly made: Made
  /** The document server's data of the changes. */
  readonly changes?: StagedContent | undefined
}

/** Ignores details that the plugin did not write. */
export function detailsOf (value: unknown): Details {
  return isDetails(value) ? value : {}
}

/** Longer texts have no legitimate use, and details must fit the limit of storages. */
export const MAX_TEXT_LENGTH = 255

/** The author of a version, cut to what can be kept. */
export function madeBy ({ id, name }: { readonly id?: unknown, readonly name?: unknown } = {}): Pick<Made, 'user'> {
  if (typeof id !== 'string') return {}
  return {
    user: { id: id.slice(0, MAX_TEXT_LENGTH), name: typeof name === 'string' ? name.slice(0, MAX_TEXT_LENGTH) : '' }
  }
}

/** How the content with this revision came about, from the details of the version that it superseded. */
export function madeAfter (previous: Details, revision: string): Made | undefined {
  if (previous.next === undefined) return undefined
  const { revision: published, ...made } = previous.next
  return published === undefined || published === revision ? made : undefined
}
