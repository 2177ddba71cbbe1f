import type { StagedContent } from '../../types/storage.js'
import { madeBy, MAX_TEXT_LENGTH, type NewVersion } from '../history/details.js'
import type { SaveRequest } from './save-request.js'

/** Of JSON, in UTF-8. A version has details of two contents, and storages take 64 KiB. */
const MAX_CHANGES_BYTES = 24 * 1024

/** What the version history is to know of a save. Whatever the document server says: a save whose version cannot be kept is refused. */
export function newVersion ({ key, lastsave, users, history = {} }: SaveRequest, now: number, staged: StagedContent | undefined): NewVersion {
  const { changes, serverVersion } = history
  const last = changes?.at(-1)?.user
  return {
    made: {
      savedAt: new Date(Number.isNaN(Date.parse(lastsave ?? '')) ? now : lastsave!).toISOString(),
      ...(isShort(key) && { key }),
      ...madeBy(last?.id === undefined ? { id: users?.[0] } : last),
      ...(changes && Buffer.byteLength(JSON.stringify(changes)) <= MAX_CHANGES_BYTES && { changes: [...changes] }),
      ...(isShort(serverVersion) && { serverVersion })
    },
    changes: staged
  }
}

function isShort (text: string | undefined): text is string {
  return text !== undefined && text.length <= MAX_TEXT_LENGTH
}
