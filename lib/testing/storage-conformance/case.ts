import assert from 'node:assert/strict'
import type { ByteRange, Content, FileInfo, ReplaceOptions, Storage } from '../../../types/storage.js'

export interface StorageSubject {
  /** The storage under test. It must be empty. */
  readonly storage: Storage
  /**
   * Opens another storage on the same data, as a second instance of the application would. Without it, the tests of
   * several instances use `storage` for all of them.
   */
  readonly reopen?: () => Storage
  /**
   * Resolves to the names of all stored objects, such as files or keys, except those for records and versions. Without
   * it, leftovers are not detected.
   */
  readonly list?: () => Promise<readonly string[]>
  /** Called after the test, whether it passed or failed, when `storage` has been closed. */
  readonly cleanup?: () => unknown
}

export interface ConformanceCase {
  readonly name: string
  run (subject: StorageSubject): Promise<void>
}

export const OLD_BYTES: Buffer = patternBytes(1000)
export const NEW_BYTES: Buffer = patternBytes(200_000, 5)

/** A replace that keeps the format of a docx, and one that changes it. */
export const FORMAT_OPTIONS: ReadonlyArray<ReplaceOptions> = [{}, { extension: 'ODT' }]

/** fileIds that no stored file can have. */
export const MALFORMED_IDS: readonly string[] = [
  '', '.', '..', '../x', '..\\x', '%2e%2e%2fx/', '/etc/passwd', 'C:\\x', 'a/../../b', 'a/b',
  '*', '?', '[a]', '{a,b}', 'a*',
  'a\0', '\n', '\x7f', '\ud800', 'a\udc00b', '\u202ecod',
  'CON', 'nul', 'COM1', 'a.', 'a ', 'a::$DATA', '.hidden',
  'a'.repeat(256), 'é'.repeat(128), 'a'.repeat(10_000)
]

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

/** Content that must not be read. */
function untouchable (): { content: Content, isRead: () => boolean } {
  let isRead = false
  return {
    content: {
      [Symbol.asyncIterator] () {
        isRead = true
        return inChunks(Buffer.from('must not be read'))
      }
    },
    isRead: () => isRead
  }
}

/**
 * Calls `inspect` while a write has read the first chunk and waits for the second. Resolves when the write has
 * finished.
 */
export async function duringWrite<Written, Seen> (
  write: (content: AsyncIterable<Uint8Array>) => Promise<Written>,
  [first, second]: readonly [Uint8Array, Uint8Array],
  inspect: () => Promise<Seen>
): Promise<{ written: Written, seen: Seen }> {
  let onSecondRequested!: () => void
  let sendSecond!: () => void
  const secondRequested = new Promise<void>(resolve => { onSecondRequested = resolve })
  const mayContinue = new Promise<void>(resolve => { sendSecond = resolve })
  async function * content () {
    yield first
    onSecondRequested()
    await mayContinue
    yield second
  }

  const writing = write(content())
  await Promise.race([secondRequested, writing])
  const inspecting = inspect()
  await inspecting.catch(() => {}).finally(sendSecond)
  const written = await writing
  return { written, seen: await inspecting }
}

/** Reads a file, or a range of it, to the end. */
export async function readAll (
  storage: Storage,
  fileId: string,
  range?: ByteRange
): Promise<{ readonly info: FileInfo, readonly bytes: Buffer }> {
  const result = await (range ? storage.read(fileId, range) : storage.read(fileId))
  assert.ok(result, 'read must resolve to the info and body of a stored file')
  return { info: result.info, bytes: Buffer.concat(await result.body.toArray()) }
}

/** Asserts that `read` returns exactly these bytes, and `stat` the same info. Resolves to that info. */
export async function assertStored (storage: Storage, fileId: string, bytes: Uint8Array): Promise<FileInfo> {
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
export async function assertUnchanged (storage: Storage, info: FileInfo, bytes: Uint8Array): Promise<void> {
  assert.deepEqual(await assertStored(storage, info.fileId, bytes), info, 'the file must be unchanged')
}

export async function assertAbsent (storage: Storage, fileId: string): Promise<void> {
  const { content, isRead } = untouchable()
  const label = JSON.stringify(fileId)
  assert.equal(await storage.stat(fileId), null, `stat of ${label} must resolve to null`)
  assert.equal(await storage.read(fileId), null, `read of ${label} must resolve to null`)
  assert.equal(await storage.replace(fileId, content), null, `replace of ${label} must resolve to null`)
  assert.equal(isRead(), false, `replace of ${label} must not read the content`)
  if (storage.remove) assert.equal(await storage.remove(fileId), false, `remove of ${label} must resolve to false`)
}
