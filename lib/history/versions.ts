import type { Readable } from 'node:stream'
import type { DocumentHistory, HistoryVersion, HistoryVersionData } from '../../types/history.js'
import type { HistoryData, SignedData } from '../../types/signed-data.js'
import type { StoredDocument, StoredVersion, VersionLabel } from '../../types/storage.js'
import type { DocumentKeys } from '../document-server/document-key.js'
import { BusyError, InvalidOptionError, VersionNotFoundError } from '../errors.js'
import { detailsOf, expiredVersions, keepOptions, type Made, madeAfter, type Retention } from '../save/retention.js'
import type { HandlerUrls } from '../security/signatures.js'
import type { Services } from '../services.js'
import { assertLabel } from '../store/call-options.js'
import { discard } from '../util/streams.js'

/** One version of a document: a kept version, or the present content. */
export interface Version extends Pick<StoredDocument, 'revision' | 'fileType' | 'modifiedAt'> {
  readonly version: number
  /** The version's origin; absent if the plugin did not store it. */
  readonly made: Made | undefined
  /** The kept version beside which the data of the changes is stored; absent if there is none. */
  readonly changesIn: number | undefined
  readonly label: VersionLabel | undefined
}

export interface VersionContent {
  readonly fileType: string
  /** Bytes. */
  readonly size: number
  readonly body: Readable
}

/** Several attempts are needed only if saves follow each other immediately. */
const MAX_ATTEMPTS = 10
const MAX_NAMED = 100

/** The versions of all documents, as shown to users. */
export type Versions = ReturnType<typeof createVersions>

export function createVersions ({ storage, settings: { clock } }: Services, retention: () => Retention) {
  const { versions: store } = storage
  return { of, open, name }

  /** All versions, oldest first; the last is the present content. Empty if the file does not exist. */
  async function of (fileId: string): Promise<readonly Version[]> {
    // Read before the list, so that a version that is kept in between is left out.
    const present = await storage.stat(fileId)
    if (present === null) return []
    const kept = await store.list(fileId)
    const position = kept.findLastIndex(({ revision }) => revision === present.revision)
    // saves have just superseded it
    if (position !== -1 && position < kept.length - 1 && (await storage.stat(fileId))?.revision !== present.revision) {
      return await of(fileId)
    }
    const isKept = position !== -1 && position === kept.length - 1 // a save failed after the version was kept
    const superseded = isKept ? kept.slice(0, -1) : kept
    // a storage removes some of them later
    const expired = new Set(expiredVersions(superseded, retention(), clock.now()))
    const shown = superseded.filter(({ version }) => !expired.has(version))
    return [
      ...shown.map((stored, index) => versionOf(stored, detailsOf(stored.details).made, shown[index - 1])),
      presentVersion(present, isKept ? kept.at(-1) : undefined, superseded.at(-1))
    ]
  }

  function presentVersion (
    present: StoredDocument, kept: StoredVersion | undefined, last: StoredVersion | undefined
  ): Version {
    const made = kept ? detailsOf(kept.details).made : last && madeAfter(detailsOf(last.details), present.revision)
    const version = { ...present, ...(kept?.label && { label: kept.label }) }
    return versionOf({ ...version, version: kept?.version ?? (last?.version ?? 0) + 1 }, made, last)
  }

  function versionOf (
    { version, revision, fileType, modifiedAt, label }: Pick<
      StoredVersion,
      'version' | 'revision' | 'fileType' | 'modifiedAt' | 'label'
    >,
    made: Made | undefined,
    previous: StoredVersion | undefined
  ): Version {
    const hasChanges = made !== undefined && previous?.version === version - 1 &&
      typeof previous?.changesSize === 'number' && madeAfter(detailsOf(previous.details), revision) !== undefined
    const changesIn = hasChanges ? previous.version : undefined
    return { version, revision, fileType, modifiedAt, made, label, changesIn }
  }

  /**
   * Names a version; `null` removes the name. Naming the present content keeps it as a version, as the next save would.
   */
  async function name (fileId: string, number: number, label: VersionLabel | null): Promise<void> {
    assertLabel(label)
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const all = await of(fileId)
      const version = all.find(one => one.version === number)
      if (!version) throw new VersionNotFoundError()
      if (label && all.filter(one => one.label && one !== version).length >= MAX_NAMED) {
        throw new InvalidOptionError('version', `cannot be named: ${MAX_NAMED} other versions have names, remove one`)
      }
      if (label === null && !version.label) return
      const newest = (await store.list(fileId, { newest: 1 })).at(-1) ?? null
      if (version === all.at(-1) && newest?.revision !== version.revision) {
        const kept = await store.keep(fileId, version.revision, keepOptions(clock.now(), version.revision, newest))
        if (kept?.version !== number) continue // a save has just superseded it
      }
      if (await store.label(fileId, number, label)) return
    }
    throw new BusyError('it kept changing while a version was being named')
  }

  /**
   * The content of a version, or the data of the changes that led to it; `null` if the version does not exist or has no
   * data.
   */
  async function open (fileId: string, version: number, part: 'content' | 'changes'): Promise<VersionContent | null> {
    return part === 'content' ? await openContent(fileId, version) : await openChanges(fileId, version)
  }

  async function openContent (fileId: string, version: number, attempt = 1): Promise<VersionContent | null> {
    const kept = await store.read(fileId, version, 'content')
    if (kept) return { fileType: kept.version.fileType, size: kept.version.size, body: kept.body }
    const present = (await of(fileId)).at(-1)
    if (present?.version !== version) return null
    const file = await storage.read(fileId)
    if (file?.info.revision === present.revision) {
      return { fileType: file.info.fileType, size: file.info.size, body: file.body }
    }
    if (file) discard(file.body)
    // a save has just superseded it
    return attempt < MAX_ATTEMPTS ? await openContent(fileId, version, attempt + 1) : null
  }

  async function openChanges (fileId: string, version: number): Promise<VersionContent | null> {
    const { changesIn } = (await of(fileId)).find(one => one.version === version) ?? {}
    const kept = changesIn === undefined ? null : await store.read(fileId, changesIn, 'changes')
    return kept && { fileType: 'zip', size: kept.version.changesSize!, body: kept.body }
  }
}

/** The editor reads the fields of every version's user. */
const NOBODY = { id: '', name: '' }

export function createHistory (
  keys: DocumentKeys, urls: HandlerUrls, sign: (data: HistoryData) => SignedData<HistoryData>, versions: Versions
) {
  return { of, dataOf, name: versions.name }

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
    const signed = sign(
      base ? { ...data, previous: contentOf(fileId, base), changesUrl: urls.version(fileId, number, 'changes') } : data
    )
    return { ...signed, version: number }
  }

  function entryOf (fileId: string, { version, revision, modifiedAt, made, label }: Version): HistoryVersion {
    const { savedAt = modifiedAt.toISOString(), user, changes, serverVersion, restored } = made ?? {}
    return {
      version,
      key: keys.of({ fileId, revision }),
      created: savedAt.slice(0, 19).replace('T', ' '),
      user: user ?? NOBODY,
      changes: changes ?? null,
      ...(serverVersion !== undefined && { serverVersion }),
      ...(restored !== undefined && { restored }),
      ...label
    }
  }

  function contentOf (fileId: string, { version, revision, fileType }: Version) {
    return { fileType, key: keys.of({ fileId, revision }), url: urls.version(fileId, version, 'content') }
  }

  /**
   * The version that the session of a save began with: the document server reports the changes since then, not since
   * the session's last force save.
   */
  function baseOf (fileId: string, { version, made }: Version, all: readonly Version[]): Version | undefined {
    const key = made?.key
    if (key === undefined) return undefined
    const earlier = all.filter(other => other.version < version)
    if (keys.isForFile(fileId, key)) {
      return earlier.findLast(({ revision }) => keys.isForContent({ fileId, revision }, key))
    }
    return earlier.findLast(other => other.made?.key !== key)
  }
}
