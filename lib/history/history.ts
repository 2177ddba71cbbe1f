import type { DocumentHistory, HistoryVersion, HistoryVersionData } from '../../types/history.js'
import type { HistoryData, Signed } from '../../types/signed-data.js'
import { VersionNotFoundError } from '../errors.js'
import type { HandlerUrls } from '../security/handler-urls.js'
import type { DocumentKeys } from '../sessions/document-key.js'
import type { Version, Versions } from './versions.js'

/** The version history as the editor shows it. */
export interface History {
  of (fileId: string): Promise<DocumentHistory>
  /** Rejects with `VersionNotFoundError`. */
  dataOf (fileId: string, version: number): Promise<HistoryVersionData>
}

interface Dependencies {
  readonly versions: Versions
  readonly keys: DocumentKeys
  readonly urls: Pick<HandlerUrls, 'version'>
  readonly sign: (data: HistoryData) => Signed<HistoryData>
}

/** The editor reads the fields of every version's user. */
const NOBODY = { id: '', name: '' }

export function createHistory ({ versions, keys, urls, sign }: Dependencies): History {
  return {
    async of (fileId) {
      const all = await versions.of(fileId)
      return { currentVersion: all.at(-1)?.version ?? 0, history: all.map(version => entryOf(fileId, version)) }
    },

    async dataOf (fileId, number) {
      const all = await versions.of(fileId)
      const version = all.find(({ version }) => version === number)
      if (!version) throw new VersionNotFoundError()
      const base = version.changesIn === undefined ? undefined : baseOf(fileId, version, all)
      const data = { version: number, ...contentOf(fileId, version) }
      return sign(base ? { ...data, previous: contentOf(fileId, base), changesUrl: urls.version(fileId, number, 'changes') } : data)
    }
  }

  function entryOf (fileId: string, { version, revision, modifiedAt, made }: Version): HistoryVersion {
    const { savedAt = modifiedAt.toISOString(), user, changes, serverVersion, restored } = made ?? {}
    return {
      version,
      key: keys.of({ fileId, revision }),
      created: savedAt.slice(0, 19).replace('T', ' '),
      user: user ?? NOBODY,
      changes: changes ?? null,
      ...(serverVersion !== undefined && { serverVersion }),
      ...(restored !== undefined && { restored })
    }
  }

  function contentOf (fileId: string, { version, revision, extension }: Version) {
    return { fileType: extension, key: keys.of({ fileId, revision }), url: urls.version(fileId, version, 'content') }
  }

  /**
   * The version that the session of a save began with: the document server reports the changes since then, not since the session's
   * last force save.
   */
  function baseOf (fileId: string, { version, made }: Version, all: readonly Version[]): Version | undefined {
    const key = made?.key
    if (key === undefined) return undefined
    const earlier = all.filter(other => other.version < version)
    if (keys.isForFile(fileId, key)) return earlier.findLast(({ revision }) => keys.isForContent({ fileId, revision }, key))
    return earlier.findLast(other => other.made?.key !== key)
  }
}
