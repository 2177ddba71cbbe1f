import assert from 'node:assert/strict'
import type { ByteRange, Content, FileInfo, Storage } from '../../../types/storage.js'

export interface ConformanceSubject {
  readonly storage: Storage
  /** Another storage over the same data, as a second instance of a service would have. */
  readonly reopen?: () => Storage
  /** The names of all that is stored, to prove that nothing is left over. */
  readonly list?: () => Promise<readonly string[]>
  /** Called after the case, whether it passed or not. */
  readonly cleanup?: () => unknown
}

export interface ConformanceCase {
  /** The sentence of the contract it proves. */
  readonly name: string
  run (subject: ConformanceSubject): Promise<void>
}

/** Ids that no stored file can have. */
export const malformed: readonly string[] = [
  '', '.', '..', '../x', '..\\x', '%2e%2e%2fx/', '/etc/passwd', 'C:\\x', 'a/../../b', 'a/b',
  '*', '?', '[a]', '{a,b}', 'a*',
  'a\0', '\n', '\x7f', '\ud800', 'a\udc00b', '\u202ecod',
  'CON', 'nul', 'COM1', 'a.', 'a ', 'a::$DATA', '.hidden',
  'a'.repeat(256), 'é'.repeat(128), 'a'.repeat(10_000)
]

/** Bytes that repeat at no power of two, so that a chunk in the wrong place shows. */
export function pattern (size: number, seed = 0): Buffer {
  const bytes = Buffer.alloc(size)
  for (let index = 0; index < size; index++) bytes[index] = (index * 7 + (index >> 8) + seed) % 251
  return bytes
}

/** Hands the bytes over in the given pieces, each in a turn of its own. */
export async function * inPieces (...pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    await new Promise(resolve => setImmediate(resolve))
    yield piece
  }
}

/** Yields the pieces, then fails with the error. */
export async function * failingAfter (error: Error, ...pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield * inPieces(...pieces)
  throw error
}

/** Content that must not be asked for. */
function untouchable (): { content: Content, isTouched: () => boolean } {
  let touched = false
  return {
    content: {
      [Symbol.asyncIterator] () {
        touched = true
        return inPieces(Buffer.from('never wanted'))
      }
    },
    isTouched: () => touched
  }
}

/** Looks at the storage while a write has taken `first` and waits for `rest`; resolves when the write has ended. */
export async function inTheMiddleOf<T, S> (
  write: (content: AsyncIterable<Uint8Array>) => Promise<T>,
  [first, rest]: readonly [Uint8Array, Uint8Array],
  look: () => Promise<S>
): Promise<{ written: T, seen: S }> {
  let reach!: () => void
  let release!: () => void
  const reached = new Promise<void>(resolve => { reach = resolve })
  const released = new Promise<void>(resolve => { release = resolve })
  async function * content () {
    yield first
    reach()
    await released
    yield rest
  }

  const writing = write(content())
  await Promise.race([reached, writing])
  const looking = look()
  await looking.catch(() => {}).finally(release)
  const written = await writing
  return { written, seen: await looking }
}

export interface Version {
  readonly info: FileInfo
  readonly bytes: Buffer
}

/** Reads a file to its end. Fails when there is none. */
export async function readAll (storage: Storage, fileId: string, range?: ByteRange): Promise<Version> {
  const result = await (range ? storage.read(fileId, range) : storage.read(fileId))
  assert.ok(result, 'a stored file can be read')
  return { info: result.info, bytes: Buffer.concat(await result.body.toArray()) }
}

/** Asserts that the file is there, whole, with these bytes, and the same for `stat`. */
export async function assertStored (storage: Storage, fileId: string, bytes: Uint8Array): Promise<FileInfo> {
  const version = await readAll(storage, fileId)
  assert.ok(version.bytes.equals(bytes), `exactly the ${bytes.byteLength} stored bytes are read, not ${version.bytes.length} others`)
  assert.equal(version.info.size, bytes.byteLength)
  assert.deepEqual(await storage.stat(fileId), version.info)
  return version.info
}

export async function assertAbsent (storage: Storage, fileId: string): Promise<void> {
  const { content, isTouched } = untouchable()
  const label = JSON.stringify(fileId)
  assert.equal(await storage.stat(fileId), null, `stat of ${label}`)
  assert.equal(await storage.read(fileId), null, `read of ${label}`)
  assert.equal(await storage.replace(fileId, content), null, `replace of ${label}`)
  assert.equal(isTouched(), false, `replace of ${label} leaves the content alone`)
  if (storage.remove) assert.equal(await storage.remove(fileId), false, `remove of ${label}`)
}
