import { randomUUID } from 'node:crypto'
import { toUrl } from '../url.js'
import { digest } from '../sessions/document-key.js'

export interface SaveRequest {
  readonly fileId: string
  readonly status: 2 | 6
  readonly url: URL
  /** Absent in a callback that carries none, which is refused where tokens are required. */
  readonly key: string | undefined
  /** When the document was changed last, when the document server says so. */
  readonly lastsave: string | undefined
  /** When the first of the changes that are saved was made, when the document server says so. */
  readonly oldestChange: string | undefined
  /** Format of the bytes at `url`, when the document server names one. */
  readonly filetype: string | undefined
  /** Nothing was changed since the last force save that was accepted. */
  readonly notmodified: boolean
  readonly users: readonly string[] | undefined
}

interface Identified {
  readonly fileId: string
  readonly key?: string | undefined
  readonly status: number
  readonly url?: string
  readonly lastsave?: string | undefined
}

/** The same whenever the document server repeats a callback. */
export function saveIdOf ({ fileId, key, status, url = '', lastsave = '' }: Identified): string {
  return key === undefined ? randomUUID() : digest(fileId, key, String(status), toUrl(url)?.pathname ?? url, lastsave)
}
