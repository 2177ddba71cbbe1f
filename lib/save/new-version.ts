import type { StagedContent } from '../../types/storage.js'
import type { NewVersion } from '../history/details.js'
import type { SaveRequest } from './save-request.js'

/** Of JSON. A version has details of two contents, and storages take 64 KiB. */
const MAX_CHANGES_LENGTH = 24 * 1024

/** What the version history is to know of a save. */
export function newVersion ({ key, lastsave, users, history = {} }: SaveRequest, now: number, changes: StagedContent | undefined): NewVersion {
  const { changes: reported, serverVersion } = history
  const user = userOf(reported?.at(-1)?.user) ?? (users?.[0] === undefined ? undefined : userOf({ id: users[0] }))
  const isListed = reported !== undefined && JSON.stringify(reported).length <= MAX_CHANGES_LENGTH
  return {
    made: {
      savedAt: new Date(Number.isNaN(Date.parse(lastsave ?? '')) ? now : lastsave!).toISOString(),
      ...(key !== undefined && { key }),
      ...(user && { user }),
      ...(isListed && { changes: [...reported] }),
      ...(serverVersion !== undefined && serverVersion.length <= MAX_NAME_LENGTH && { serverVersion })
    },
    changes
  }
}

const MAX_NAME_LENGTH = 255

function userOf ({ id, name }: { readonly id?: string, readonly name?: string } = {}): { id: string, name: string } | undefined {
  return id === undefined ? undefined : { id: id.slice(0, MAX_NAME_LENGTH), name: (name ?? '').slice(0, MAX_NAME_LENGTH) }
}
