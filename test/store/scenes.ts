// Documents, records and versions to begin a test with, and what must hold for them.
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { OLD_BYTES, patternBytes, type Scene, type StorageCases } from '../../lib/conformance/storage-scene.js'
import type { CommitOptions, Committed, DocumentStore, StateStore } from '../../lib/store/contract.js'
import type { StorageContent, StoredDocument, VersionKeepOptions, StoredVersion, VersionStore } from '../../types/storage.js'

/** Cases that begin in a scene of their own, which `setUp` makes. `subject`: what they are about. */
export function casesOf<Prepared> (
  subject: string, setUp: (scene: Scene) => Promise<Prepared>, cases: Readonly<Record<string, (scene: Prepared) => Promise<void>>>
): StorageCases {
  return Object.fromEntries(Object.entries(cases).map(([name, run]) => [
    `${subject}: ${name}`, async scene => await run(await setUp(scene))
  ]))
}

/** fileIds that no stored file can have. */
export const MALFORMED_IDS: readonly string[] = [
  '', '.', '..', '../x', '..\\x', '%2e%2e%2fx/', '/etc/passwd', 'C:\\x', 'a/../../b', 'a/b',
  '*', '?', '[a]', '{a,b}', 'a*',
  'a\0', '\n', '\x7f', '\ud800', 'a\udc00b', '\u202ecod',
  'CON', 'nul', 'COM1', 'a.', 'a ', 'a::$DATA', '.hidden',
  'a'.repeat(256), 'é'.repeat(128), 'a'.repeat(10_000)
]

/** A file that has `OLD_BYTES` and a record. */
export interface CommittingScene extends Scene {
  readonly fileId: string
  readonly first: Committed
}

export const RECORD = { name: 'the record', list: [1, null] }

export async function withRecord (scene: Scene): Promise<CommittingScene> {
  const { storage } = scene
  const info = await storage.create('docx', OLD_BYTES)
  const recordVersion = await storage.state.set(info.fileId, RECORD, null)
  assert.ok(recordVersion, 'set must resolve to the new version')
  return { ...scene, fileId: info.fileId, first: { info, recordVersion } }
}

/** The conditions of a commit that replaces an earlier one. */
export function ifStill ({ info, recordVersion }: Committed): Pick<CommitOptions, 'ifRevision' | 'ifRecordVersion'> {
  return { ifRevision: info.revision, ifRecordVersion: recordVersion }
}

export async function assertRecord (
  storage: DocumentStore, fileId: string, record: { value: unknown, version: string | null } | null
): Promise<void> {
  const message = 'snapshot must resolve to the record of the latest commit or set'
  assert.deepEqual((await storage.snapshot(fileId)).record, record, message)
}

export async function commit (
  storage: DocumentStore, fileId: string, content: StorageContent, options: CommitOptions
): Promise<Committed> {
  const committed = await storage.commit(fileId, content, options)
  assert.ok(committed, 'commit must resolve to what it has stored: file and record are as expected')
  return committed
}

/** A stored file without a record. */
interface StateScene extends Scene {
  readonly state: StateStore
  readonly fileId: string
}

export async function assertNotSet (
  state: StateStore, fileId: string, value: unknown, version: string | null
): Promise<void> {
  const message = `set must resolve to null: ${JSON.stringify(version)} is not the version of the record`
  assert.equal(await state.set(fileId, value, version), null, message)
}

/** Creates a record, or changes the one that has this version. Resolves to the new version. */
export async function set (
  state: StateStore, fileId: string, value: unknown, version: string | null = null
): Promise<string> {
  const next = await state.set(fileId, value, version)
  const message = 'set must resolve to a new version: that of the record was given, or null where there is none'
  assert.equal(typeof next, 'string', message)
  return next!
}

export async function withState (scene: Scene): Promise<StateScene> {
  const { fileId } = await scene.storage.create('docx', patternBytes(100))
  return { ...scene, state: scene.storage.state, fileId }
}

/** A file that has `OLD_BYTES`, and of which nothing was kept. */
interface VersionsScene extends Scene {
  readonly versions: VersionStore
  /** That of the other instance. */
  readonly others: VersionStore
  readonly info: StoredDocument
  readonly fileId: string
}

export async function list (versions: VersionStore, fileId: string): Promise<readonly StoredVersion[]> {
  const listed = await versions.list(fileId)
  const numbers = listed.map(({ version }) => version)
  const sorted = [...new Set(numbers)].sort((a, b) => a - b)
  assert.deepEqual(numbers, sorted, 'list must contain each version once, oldest first')
  return listed
}

export async function keep (
  versions: VersionStore, { fileId, revision }: StoredDocument, options?: VersionKeepOptions
): Promise<StoredVersion> {
  const kept = await versions.keep(fileId, revision, options)
  assert.ok(kept, 'keep must resolve to the version: the file has the given revision')
  return kept
}

/** Asserts that the content of a version can be read, exactly, and its changes; `null`: it has none. */
export async function assertKept (
  versions: VersionStore, fileId: string, kept: StoredVersion, content: Uint8Array, changes: Uint8Array | null = null
): Promise<void> {
  const { version, size, changesSize } = kept
  const isListed = (await list(versions, fileId)).some(listed => isDeepStrictEqual(listed, kept))
  assert.ok(isListed, `list must contain version ${version} as keep resolved to it`)
  for (const [part, bytes] of [['content', content], ['changes', changes]] as const) {
    const found = await versions.read(fileId, version, part)
    if (bytes === null) {
      assert.equal(found, null, `read of the ${part} must resolve to null: there are none`)
      continue
    }
    const read = found && Buffer.concat(await found.body.toArray())
    const message = `read must give exactly the ${bytes.byteLength} bytes of the ${part} of version ${version}`
    assert.ok(read?.equals(bytes), message)
    assert.deepEqual(found?.version, kept, 'read must resolve to the version that list contains')
  }
  assert.equal(size, content.byteLength, 'size must be the number of bytes of the content')
  const length = changes?.byteLength ?? null
  assert.equal(changesSize, length, 'changesSize must be the number of bytes of the changes, or null')
}

export async function assertGone (versions: VersionStore, fileId: string, version: number): Promise<void> {
  for (const part of ['content', 'changes'] as const) {
    const message = 'read must resolve to null when the version or its file was removed'
    assert.equal(await versions.read(fileId, version, part), null, message)
  }
}

export async function withVersions (scene: Scene): Promise<VersionsScene> {
  const { storage, other } = scene
  const info = await storage.create('docx', OLD_BYTES)
  return { ...scene, versions: storage.versions, others: other.versions, info, fileId: info.fileId }
}
