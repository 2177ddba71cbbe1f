import { randomUUID } from 'node:crypto'
import { type BigIntStats, constants, createReadStream } from 'node:fs'
import { type FileHandle, link, lstat, mkdir, open, rm, stat, statfs, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isUint8Array } from 'node:util/types'
import type { Content } from '../../types/storage.js'
import { RevokedError } from '../errors.js'
import { limitConcurrency } from '../util/queue.js'
import { assertBytes } from '../util/streams.js'
import { hasEnded, isInSameNamespace, processName } from './process-identity.js'

/** Longer than the granularity of file times in any kernel: the period of its timer, 1 to 16 ms. */
export const TIME_GRANULARITY_MS = 50

/** Permissions of new files and directories, before the process's umask is applied. */
export interface Modes {
  readonly file: number
  readonly directory: number
}

/**
 * Everybody who may read the files must be able to enter the directory. The group may contain another instance, which
 * must be able to write there.
 */
export function modesFor (file: number = 0o640): Modes {
  return { file, directory: 0o700 | file | (file & 0o444) >> 2 | (file & 0o040) >> 1 }
}

/** Handles a rejection: resolves to `undefined` for ENOENT, rethrows any other error. */
export function ignoreMissing (error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Resolves to whether the file existed. */
export async function removeFile (path: string): Promise<boolean> {
  return await unlink(path).then(() => true, error => ignoreMissing(error) ?? false)
}

/**
 * Flushes a directory, so that names added to it or removed from it survive a power failure. Resolves to `false` if its
 * file system cannot, such as SMB and Azure Files.
 */
export async function syncDirectory (directory: string): Promise<boolean> {
  if (process.platform === 'win32') return true // there is no such call: the file system journals names
  return await withHandle(directory, 'r', async handle => await isDone(handle.sync()))
}

export async function syncFile (path: string): Promise<void> {
  await withHandle(path, 'r+', async handle => await handle.sync()) // Windows flushes only what is open for writing
}

async function withHandle<Result> (
  path: string, flags: string | number, task: (handle: FileHandle) => Promise<Result>
): Promise<Result> {
  const handle = await open(path, flags)
  try {
    return await task(handle)
  } finally {
    await handle.close()
  }
}

/** Flushes the parents of a new folder, up to `top`, so that the folder is found after a crash. */
export async function syncAncestors (folder: string, top: string): Promise<void> {
  const parent = dirname(folder)
  await Promise.all([syncDirectory(parent), ...parent === top ? [] : [syncAncestors(parent, top)]])
}

/** Errors of `link` where another way must be taken, most often because the file system has no hard links. */
const NO_LINK: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EXDEV'])

/** Gives a file a second name. Resolves to `false` if the name is taken, and to `undefined` if no link can be made. */
export async function linkFile (path: string, target: string): Promise<boolean | undefined> {
  try {
    await link(path, target)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (NO_LINK.has(code)) return undefined
    if (code !== 'EEXIST') throw error
    // A network file system may repeat a call that succeeded and report EEXIST for its own link.
    const [own, found] = await Promise.all([path, target].map(statsAt))
    return own !== undefined && own.ino === found?.ino
  }
}

/** The stats of what has this path, also of a symbolic link; `undefined` if nothing has it. */
export async function statsAt (path: string): Promise<BigIntStats | undefined> {
  return await lstat(path, { bigint: true }).catch(ignoreMissing)
}

/** A file with content that is not yet published. */
export interface TempFile {
  readonly path: string
  stats: BigIntStats
}

/** The stats of a file that has been written, as they stay. */
interface Finished {
  readonly stats: BigIntStats
  /** Whether its time could be set. Otherwise the file system may set it as late as when the file is closed. */
  readonly isDated: boolean
}

interface TempFileOptions {
  readonly replaced?: BigIntStats | undefined
  /** Runs the creation of the file. */
  readonly adding?: <Result>(add: () => Promise<Result>) => Promise<Result>
}

/** A fileId never starts with a dot, so no temp file can be taken for a document. */
const PREFIX = '.fastify-onlyoffice'

/** Suffix of the second name that a file gets while a temp file replaces it. */
const PREVIOUS = '~previous'

const NAME = /^\.fastify-onlyoffice~(?<owner>[0-9a-f]{12}~\d+-\d*)~[0-9a-f-]{36}(~previous)?$/

/**
 * A download into a temp file fails after a shorter pause than this. If the temp file of a running process is removed
 * nevertheless, nothing can be published without it, and the save is fetched again.
 */
const ABANDONED_AFTER_MS = 120_000

const PERMISSION_BITS = 0o777n

/** A new name, which contains the name of this process. */
export function tempName (): string {
  return `${PREFIX}~${processName()}~${randomUUID()}`
}

export function isTempName (name: string): boolean {
  return NAME.test(name)
}

/** The second name or path of the file that the temp file with this name or path replaces. */
export function previousOf (temp: string): string {
  return temp + PREVIOUS
}

/**
 * Streams content into a new temp file and flushes it to the disk. It gets the permissions and the owner of the file it
 * will replace and a later modification time, or else the given mode. Leaves nothing behind if it rejects.
 */
export async function writeTempFile (
  directory: string, content: Content, mode: number,
  { replaced, adding = async add => await add() }: TempFileOptions = {}
): Promise<TempFile & Finished> {
  const path = join(directory, tempName())
  const handle = await adding(async () =>
    await open(path, 'wx', replaced === undefined ? mode : permissionsOf(replaced))
  )
  let finished: Finished
  try {
    const size = await writeContent(handle, content)
    finished = await finish(handle, size, replaced)
  } catch (error) {
    await unlink(path).catch(() => {})
    throw error
  } finally {
    await handle.close()
  }
  return { path, ...await onceClosed(path, finished) }
}

async function onceClosed (path: string, finished: Finished): Promise<Finished> {
  return finished.isDated ? finished : { ...finished, stats: await lstat(path, { bigint: true }) }
}

/**
 * Adds something to the folder for temp files. Makes the folder again if it is missing: programs that clean up remove
 * empty folders. Rejects if the directory above the storage's own folders is missing, as when its disk is gone.
 */
export async function inTemps<Result> (
  temps: string, { directory }: Modes, add: () => Promise<Result>
): Promise<Result> {
  try {
    return await add()
  } catch (error) {
    ignoreMissing(error as NodeJS.ErrnoException)
  }
  for (const folder of [dirname(temps), temps]) await mkdir(folder, directory).catch(ignoreExisting)
  return await add()
}

function ignoreExisting (error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/** A directory in which files can be written. */
interface WritableDirectory {
  /** The time of its file system in milliseconds, whose clock may differ from this machine's. */
  readonly now: number
  /** What its file system cannot do, and what that means. */
  readonly limits: readonly string[]
}

/** Creates a directory, and rejects unless files can be written there. */
export async function assertWritable (directory: string, modes: Modes): Promise<WritableDirectory> {
  await mkdir(directory, { recursive: true, mode: modes.directory })
  const { path, stats, isDated } = await writeTempFile(directory, new Uint8Array(0), modes.file)
  await removeFile(path)
  const isFlushed = await syncDirectory(directory)
  const limits = [
    ...isDated ? [] : ['cannot set the time of a file: two saves of one instant may look the same'],
    ...isFlushed ? [] : ['cannot flush a directory: a power failure may undo the latest saves']
  ]
  return { now: Number(stats.ctimeMs), limits }
}

/** Gives a temp file the attributes for replacing this file, which may not be the file it was written for. */
export async function prepareToReplace (temp: TempFile, replaced: BigIntStats): Promise<void> {
  if (hasSameAccess(temp.stats, replaced) && temp.stats.mtimeNs > replaced.mtimeNs) return
  const { path, stats } = temp
  const finished = await withHandle(path, 'r+', async handle => await finish(handle, Number(stats.size), replaced))
  temp.stats = (await onceClosed(path, finished)).stats
}

export async function * readTempFile (temp: TempFile): AsyncGenerator<Uint8Array> {
  try {
    yield * createReadStream(temp.path)
  } catch (error) {
    throw await revokedOr(error, temp)
  }
}

/**
 * Resolves to `RevokedError` if an operation failed because another process removed the temp file, assuming that this
 * process had ended; otherwise to the operation's error.
 */
export async function revokedOr (error: unknown, { path }: TempFile): Promise<unknown> {
  const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT' && !await lstat(path).then(() => true, () => false)
  return isGone ? new RevokedError({ cause: error }) : error
}

/**
 * Removes the temp files among these names of a directory that belong to ended processes. Whether a process on another
 * machine or in another container has ended is unknown: its files are removed when nothing was written to them for two
 * minutes. `now`: from `assertWritable`. Files that cannot be removed stay.
 */
export async function sweepTempFiles (directory: string, names: Iterable<string>, now: number): Promise<void> {
  for (const name of names) {
    const owner = NAME.exec(name)?.groups?.owner
    if (owner === undefined) continue
    const path = join(directory, name)
    // Not mtime: a second link to an old document is new, its content is not.
    const ctime = (await lstat(path).catch(() => undefined))?.ctimeMs ?? now
    if (hasEnded(owner) || (!isInSameNamespace(owner) && now - ctime > ABANDONED_AFTER_MS)) {
      await rm(path, { recursive: true, force: true }).catch(() => {})
    }
  }
}

async function finish (handle: FileHandle, size: number, replaced?: BigIntStats): Promise<Finished> {
  // The kernel's timestamps have a granularity of milliseconds and inode numbers are reused: two contents could get the
  // same revision.
  const seconds = nextModificationTime(replaced?.mtimeNs)
  const isDated = await isDone(handle.utimes(seconds, seconds))
  const stats = await handle.stat({ bigint: true })
  const isPrepared = replaced === undefined || hasSameAccess(stats, replaced)
  if (!isPrepared) await copyAccess(handle, stats, replaced)
  await inTurnIfLarge(size, async () => await handle.sync())
  return { stats: isPrepared ? stats : await handle.stat({ bigint: true }), isDated }
}

async function copyAccess (handle: FileHandle, stats: BigIntStats, replaced: BigIntStats): Promise<void> {
  const [uid, gid] = [Number(replaced.uid), Number(replaced.gid)]
  // Only root may change the owner. Any owner may change the group to one of their own.
  if (stats.uid !== replaced.uid) await isDone(handle.chown(uid, gid))
  if (stats.gid !== replaced.gid) await isDone(handle.chown(-1, gid))
  // The umask may have removed bits from the mode given to open, and chown may have cleared some.
  await handle.chmod(permissionsOf(replaced))
}

function hasSameAccess (a: BigIntStats, b: BigIntStats): boolean {
  return permissionsOf(a) === permissionsOf(b) && a.uid === b.uid && a.gid === b.gid
}

function permissionsOf ({ mode }: BigIntStats): number {
  return Number(mode & PERMISSION_BITS)
}

/** Resolves to `false` if the file system does not do such a thing, or not for this user. */
async function isDone (operation: Promise<void>): Promise<boolean> {
  try {
    await operation
    return true
  } catch (error) {
    if (!['EPERM', 'EINVAL', 'ENOSYS', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return false
  }
}

let lastMicroseconds = 0

/**
 * The current time in seconds, but later than `newerThan` and than every time this process has returned before. It lies
 * half a microsecond past a whole one, so that rounding a double down cannot reach the previous microsecond.
 */
function nextModificationTime (newerThan = 0n): number {
  lastMicroseconds = Math.max(Date.now() * 1000, lastMicroseconds + 1)
  return (Math.max(lastMicroseconds, Number(newerThan / 1000n) + 1) + 0.5) / 1_000_000
}

/** Bytes of the first piece. Most documents are smaller and need no larger one. */
const FIRST_PIECE = 64 * 1024
/** Bytes of later pieces. They add up if several such documents are saved at once. */
const PIECE = 256 * 1024
/** Bytes of a piece after the first `FLUSH_AFTER` bytes. */
const LARGE_PIECE = 1024 * 1024

/**
 * Bytes after which content is flushed while more arrives, so that the final flush does not have to write everything.
 */
const FLUSH_AFTER = 16 * 1024 * 1024

/**
 * Threads of libuv's pool, shared by all file operations. Source: the libuv documentation, thread pool work scheduling.
 */
const POOL_THREADS = Number(process.env.UV_THREADPOOL_SIZE ?? 4) || 1

/**
 * Limits operations that occupy a thread of the pool for milliseconds. Some threads remain free, for instance for
 * reading small files. A hanging operation does not hold up the others: it may wait for a file server while they use
 * disks of this machine.
 */
const inTurn = limitConcurrency({ concurrency: Math.max(1, POOL_THREADS - 2), maxRun: 1000 })

/**
 * Writes content to the end of a file, in large pieces, each while the next one arrives. The caller flushes it.
 * Resolves to its size in bytes. Once it has settled, nothing is being written.
 */
async function writeContent (handle: FileHandle, content: Content): Promise<number> {
  if (isUint8Array(content)) {
    await writePiece(handle, content)
    return content.length
  }
  let size = 0
  let unflushed = 0
  let isFlushing = false
  let writing = Promise.resolve()
  let flushing = Promise.resolve()
  try {
    for await (const piece of inPieces(content)) {
      await writing
      size += piece.length
      writing = write(piece)
      writing.catch(() => {}) // awaited before the next piece
    }
  } finally {
    await Promise.allSettled([writing, flushing])
  }
  await writing
  await flushing
  return size

  async function write (piece: Uint8Array): Promise<void> {
    await writePiece(handle, piece)
    unflushed += piece.length
    if (unflushed < FLUSH_AFTER || isFlushing) return
    unflushed = 0
    isFlushing = true
    // A failure is kept, because a later flush may not report it again.
    flushing = flushing
      .then(async () => await inTurn(async () => await handle.datasync()))
      .finally(() => { isFlushing = false })
    flushing.catch(() => {}) // awaited at the end
  }
}

async function writePiece (handle: FileHandle, piece: Uint8Array): Promise<void> {
  await inTurnIfLarge(piece.length, async () => await handle.writeFile(piece))
}

async function inTurnIfLarge (size: number, operation: () => Promise<void>): Promise<void> {
  await (size < FIRST_PIECE ? operation() : inTurn(operation))
}

/** Yields the bytes in two alternating buffers: a piece may be used until the next but one is requested. */
async function * inPieces (content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let buffer: Buffer = Buffer.allocUnsafe(FIRST_PIECE)
  let other: Buffer | undefined
  let filled = 0
  let yielded = 0
  for await (const chunk of content) {
    assertBytes(chunk)
    for (let taken = 0; taken < chunk.length;) {
      const part = chunk.subarray(taken, taken + buffer.length - filled)
      buffer.set(part, filled)
      filled += part.length
      taken += part.length
      if (filled < buffer.length) continue
      yield buffer
      yielded += filled
      filled = 0
      const length = yielded < FLUSH_AFTER ? PIECE : LARGE_PIECE
      ;[buffer, other] = [other?.length === length ? other : Buffer.allocUnsafe(length), buffer]
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled)
}

/** Source: statfs(2). */
const NFS_TYPE = 0x6969

/** ext2 to ext4, XFS, Btrfs, ZFS, F2FS, tmpfs, overlayfs. Source: statfs(2). */
const LOCAL_TYPES: ReadonlySet<number> = new Set(
  [0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0x01021994, 0x794c7630]
)

type Kind = 'local' | 'nfs' | 'other'

/** Kinds of file systems, by device number. */
const kinds = new Map<bigint, Kind>()

/**
 * The fresh stats of a directory. Afterwards, every name in it refers to the same file as at the file server. The NFS
 * client of Linux answers from memory for up to a minute, both for the attributes of files and for the file that a name
 * refers to. But it asks the server whenever a directory is opened, and if the directory has changed, it looks up all
 * names in it again. On other file systems this is one `stat`.
 */
export async function freshStats (directory: string): Promise<BigIntStats> {
  const stats = await stat(directory, { bigint: true })
  if (await kindOf(directory, stats) !== 'nfs') return stats
  const flags = constants.O_RDONLY | constants.O_DIRECTORY
  return await withHandle(directory, flags, async handle => await handle.stat({ bigint: true }))
}

/**
 * Whether the stats of a folder can be read without the thread pool: they come neither from a server nor through
 * another program.
 */
export async function isLocal (directory: string, stats?: BigIntStats): Promise<boolean> {
  return await kindOf(directory, stats ?? await stat(directory, { bigint: true })) === 'local'
}

async function kindOf (directory: string, { dev }: BigIntStats): Promise<Kind> {
  if (process.platform !== 'linux') return 'other'
  let kind = kinds.get(dev)
  if (kind === undefined) {
    const { type } = await statfs(directory)
    kind = type === NFS_TYPE ? 'nfs' : LOCAL_TYPES.has(type) ? 'local' : 'other'
    kinds.set(dev, kind)
  }
  return kind
}
