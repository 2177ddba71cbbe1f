import assert from 'node:assert/strict'
import type { ByteRange, StoredDocument, EditorStorage } from '../../types/storage.js'
import type { DocumentStore } from '../store/contract.js'

export interface StorageSubject {
  /** The storage under test, such as `documentStorage(driver)`. It must be empty. */
  readonly storage: EditorStorage
  /**
   * Opens another storage on the same data, as a second instance of the application would. Called once for each test,
   * which closes it. Without it, the tests of several instances use `storage` for all of them.
   */
  readonly reopen?: () => EditorStorage
  /**
   * Resolves to the names of all stored objects, such as files or keys, except those for records and versions. Without
   * it, leftovers are not detected.
   */
  readonly list?: () => Promise<readonly string[]>
  /** Called after the test, whether it passed or failed, when `storage` has been closed. */
  readonly cleanup?: () => unknown
}

/** What a case gets. */
export interface Scene {
  readonly storage: DocumentStore
  /** Another instance on the same data, if the storage can be reopened. */
  readonly other: DocumentStore
  readonly list: StorageSubject['list']
}

/** The requirements of a driver, and what tests them. */
export type StorageCases = Readonly<Record<string, (scene: Scene) => Promise<void>>>

export const OLD_BYTES: Buffer = patternBytes(1000)
export const NEW_BYTES: Buffer = patternBytes(200_000, 5)

/** Both halves of some bytes. */
export function halves (bytes: Uint8Array): [Uint8Array, Uint8Array] {
  return [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)]
}

/** Bytes that do not repeat at a power of two, so that a misplaced chunk is detected. */
export function patternBytes (size: number, seed = 0): Buffer {
  const bytes = Buffer.alloc(size)
  for (let index = 0; index < size; index++) bytes[index] = (index * 7 + (index >> 8) + seed) % 251
  return bytes
}

/** Yields each chunk in a turn of the event loop of its own. */
export async function * inChunks (...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    await new Promise(resolve => setImmediate(resolve))
    yield chunk
  }
}

/** Yields the chunks, then throws the error. */
export async function * failingAfter (error: Error, ...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield * inChunks(...chunks)
  throw error
}

/** Calls `inspect` when a write has read the first chunk and asks for the second. */
export async function duringWrite<Written, Seen> (
  write: (content: AsyncIterable<Uint8Array>) => Promise<Written>, [first, second]: readonly [Uint8Array, Uint8Array],
  inspect: () => Promise<Seen>
): Promise<{ written: Written, seen: Seen }> {
  let inspecting: Promise<Seen> | undefined
  async function inspectOnce (): Promise<Seen> {
    inspecting ??= inspect()
    return await inspecting
  }
  async function * content () {
    yield first
    await inspectOnce().catch(() => {}) // reported below
    yield second
  }

  const written = await write(content())
  return { written, seen: await inspectOnce() }
}

/** Asserts that a write rejects with the error of its source, which fails after these chunks. */
export async function assertSourceFails (
  name: string, write: (content: AsyncIterable<Uint8Array>) => Promise<unknown>, chunks: readonly Uint8Array[]
): Promise<void> {
  const failure = new Error('the source failed')
  const writing = write(failingAfter(failure, ...chunks))
  await assert.rejects(writing, error => error === failure, `${name} must reject with the error of the source`)
}

/** Replaces a stored file. */
export async function replace (
  storage: EditorStorage, ...args: Parameters<EditorStorage['replace']>
): Promise<StoredDocument> {
  const info = await storage.replace(...args)
  assert.ok(info, 'replace of a stored file must resolve to its info')
  return info
}

/** Reads a file, or a range of it, to the end. */
export async function readAll (
  storage: EditorStorage, fileId: string, range?: ByteRange
): Promise<{ readonly info: StoredDocument, readonly bytes: Buffer }> {
  const result = await (range ? storage.read(fileId, range) : storage.read(fileId))
  assert.ok(result, 'read must resolve to the info and body of a stored file')
  return { info: result.info, bytes: Buffer.concat(await result.body.toArray()) }
}

/** Asserts that `read` returns exactly these bytes, and `stat` the same info. Resolves to that info. */
export async function assertStored (
  storage: EditorStorage, fileId: string, bytes: Uint8Array
): Promise<StoredDocument> {
  const found = await readAll(storage, fileId)
  assert.ok(
    found.bytes.equals(bytes),
    `read must return exactly the ${bytes.byteLength} stored bytes; it returned ${found.bytes.length} bytes, not all of them the same`
  )
  assert.equal(found.info.size, bytes.byteLength, 'info.size must be the number of stored bytes')
  assert.deepEqual(await storage.stat(fileId), found.info, 'stat must resolve to the same info as read')
  return found.info
}

/** Asserts that a file is as it was when it had this info and these bytes. */
export async function assertUnchanged (storage: EditorStorage, info: StoredDocument, bytes: Uint8Array): Promise<void> {
  assert.deepEqual(await assertStored(storage, info.fileId, bytes), info, 'the file must be unchanged')
}

export async function assertAbsent (storage: EditorStorage, fileId: string): Promise<void> {
  const label = JSON.stringify(fileId)
  assert.equal(await storage.stat(fileId), null, `stat of ${label} must resolve to null`)
  assert.equal(await storage.read(fileId), null, `read of ${label} must resolve to null`)
  assert.equal(await storage.replace(fileId, OLD_BYTES), null, `replace of ${label} must resolve to null`)
  assert.equal(await storage.remove(fileId), false, `remove of ${label} must resolve to false`)
}
