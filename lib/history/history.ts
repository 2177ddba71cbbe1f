import type { DocumentHistory, HistoryVersion, HistoryVersionData } from '../../types/history.js'
import type { HistoryData, Signed } from '../../types/signed-data.js'
import { VersionNotFoundError } from '../errors.js'
import type { HandlerUrls } from '../security/handler-urls.js'
import type { DocumentKeys } from '../document-server/document-key.js'
import type { Version, Versions } from './versions.js'

/** The editor reads the fields of every version's user. */
const NOBODY = { id: '', name: '' }

/** The version history as the editor shows it. */
export type History = ReturnType<typeof createHistory>

export function createHistory (keys: DocumentKeys, urls: HandlerUrls, sign: (data: HistoryData) => Signed<HistoryData>, versions: Versions) {
  return { of, dataOf }

  async function of (fileId: string): Promise<DocumentHistory> {
    const all = await versions.of(fileId)
    return { currentVersion: all.at(-1)?.version ?? 0, history: all.map(version => entryOf(fileId, version)) }
  }

  /** Rejects with `VersionNotFoundError`. */
  async function dataOf (fileId: string, number: number): Promise<HistoryVersionData> {
    const all = await versions.of(fileId)
    const version = all.find(({ version }) => version === number)
    if (!version) throw new VersionNotFoundError()
    const base = version.changesIn === undefined ? undefined : baseOf(fileId, version, all)
    const data = { version: number, ...contentOf(fileId, version) }
    return sign(base ? { ...data, previous: contentOf(fileId, base), changesUrl: urls.version(fileId, number, 'changes') } : data)
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
