// Where tests keep documents that are about saves and sessions, not about a storage: in files, or with TEST_STORAGE=s3
// in an object store, because what holds for files has to hold there (`storageOf`); lives and force saves also with
// TEST_STORAGE=postgres in a database. For tests of file storage: what is in a directory, and disks, permissions and
// calls of the file system that fail.
import { AsyncLocalStorage } from 'node:async_hooks'
import { execFileSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import fs, { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { FastifyInstance } from 'fastify'
import { fileStorage, memoryStorage } from '../../lib/index.js'
import type { DocumentStore } from '../../lib/store/contract.js'
import { createDocumentStore } from '../../lib/store/document-store.js'
import { memoryDriver } from '../../lib/store/memory.js'

export interface TestStorage {
  /** Opens it as a process of its own does, with which nothing else is shared. */
  open (): DocumentStore
  /** Another program makes a file or writes to it, without asking the application. */
  write (fileId: string, fileType: string, text: string): Promise<void>
  /** Another program puts another file in its place. */
  replace (fileId: string, fileType: string, text: string): Promise<void>
  /** Another program removes a file. */
  remove (fileId: string, fileType: string): Promise<void>
  /** Names of the documents, and of whatever should not be left beside them, such as temp files. */
  listing (): Promise<string[]>
}

/** scripts/test.js names the test files that are not for it. */
export const isOnS3 = process.env.TEST_STORAGE === 's3'
export const isOnPostgres = process.env.TEST_STORAGE === 'postgres'

/** Where file storage keeps records and versions. */
export const OWN_FOLDER = '.fastify-onlyoffice'

/** The same one for a test whenever it asks. `directory`: of the files. */
export async function storageOf (t: Test, directory = join(t.testdirName, 'uploads')): Promise<TestStorage> {
  if (isOnPostgres) return await inDatabase(t)
  return isOnS3 ? await inObjects(t) : inFiles(directory)
}

/** In memory, or wherever the tests keep documents if that is not in files. */
export async function quickStorage (t: Test): Promise<DocumentStore> {
  if (isOnPostgres) return (await inDatabase(t)).open()
  return isOnS3 ? (await inObjects(t)).open() : memoryStorage()
}

function inFiles (directory: string): TestStorage {
  const path = (fileId: string, fileType: string) => join(directory, `${fileId}.${fileType}`)
  return {
    open: () => fileStorage({ directory }),
    async write (fileId, fileType, text) {
      await mkdir(directory, { recursive: true })
      await writeFile(path(fileId, fileType), text)
    },
    async replace (fileId, fileType, text) {
      const replacing = join(directory, `${randomUUID()}.new`)
      await writeFile(replacing, text)
      await rename(replacing, path(fileId, fileType))
    },
    remove: async (fileId, fileType) => await rm(path(fileId, fileType)),
    listing: async () => await documentsIn(directory)
  }
}

async function inObjects (t: Test): Promise<TestStorage> {
  // Not at the top: files need none of it, and it takes a while to load.
  const [{ s3 }, { s3Storage }] = await Promise.all([import('./s3.js'), import('../../lib/store/s3/index.js')])
  const { options, list, textOf } = await s3(t)
  // Tests that skip time must not skip the storage's.
  const open = () => s3Storage({ ...options, sweepInterval: false, requestTimeout: 300_000 })
  const others = open()

  return {
    open,
    ...programsOn(others),
    async listing () {
      const [records, contents] = [await list('records/'), await list('contents/')]
      const documents = await Promise.all(records.map(async key => {
        const info = await others.stat(fileIdIn(key))
        return info === null ? [] : [`${info.fileId}.${info.fileType}`]
      }))
      const texts = await Promise.all(records.map(textOf))
      const unnamed = contents.filter(key => !texts.some(text => text.includes(key.slice(key.lastIndexOf('/') + 1))))
      return [...documents.flat(), ...unnamed].sort()
    }
  }
}

async function inDatabase (t: Test): Promise<TestStorage> {
  const [{ postgres }, { postgresStorage }] = await Promise.all([import('./postgres.js'), import('../../lib/store/postgres/index.js')])
  const { options, rows } = await postgres(t)
  const open = () => postgresStorage({ ...options, queryTimeout: 300_000 })
  const others = open()

  return {
    open,
    ...programsOn(others),
    async listing () {
      const documents = await Promise.all((await rows<{ id: string }>('SELECT file_id AS id FROM records')).map(async ({ id }) => await others.stat(id)))
      const unnamed = await rows<{ name: string }>(
        'SELECT DISTINCT blob::text AS name FROM blobs LEFT JOIN records USING (file_id) WHERE strpos(coalesce(record, $1), blob::text) = 0', ['']
      )
      return [...documents.flatMap(info => info === null ? [] : [`${info.fileId}.${info.fileType}`]), ...unnamed.map(({ name }) => name)].sort()
    }
  }
}

/** Other programs, which use the same storage. */
function programsOn (storage: DocumentStore): Pick<TestStorage, 'write' | 'replace' | 'remove'> {
  async function write (fileId: string, fileType: string, text: string): Promise<void> {
    if (await storage.replace(fileId, Buffer.from(text)) === null) await storage.create(fileType, Buffer.from(text), { fileId })
  }
  return { write, replace: write, remove: async fileId => { await storage.remove(fileId) } }
}

/** In the key of a record. */
function fileIdIn (key: string): string {
  return decodeURIComponent(key.slice('records/'.length, -'.json'.length).replaceAll('_', '%'))
}

/**
 * What is in the directory of a file storage: documents, and whatever should not be there. Its records and versions are
 * left out.
 */
export async function documentsIn (directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter(name => !name.startsWith(OWN_FOLDER))
  const own = await readdir(join(directory, OWN_FOLDER), { recursive: true }).catch(() => [])
  return [...names, ...own.filter(name => name.includes('~'))].sort()
}

const isRoot = process.getuid?.() === 0
const NOBODY = 65534

/** Runs a task without the rights of the super-user, whom no permission stops. */
export async function asOrdinaryUser<T> (task: () => Promise<T>): Promise<T> {
  if (!isRoot) return task()
  process.seteuid!(NOBODY)
  try {
    return await task()
  } finally {
    process.seteuid!(0)
  }
}

/** What is in a directory, temp files included, records and versions aside. */
export async function namesIn (directory: string): Promise<string[]> {
  return (await readdir(directory)).filter(name => !name.startsWith(OWN_FOLDER)).sort()
}

/** The same with what they hold. */
export async function textsIn (directory: string): Promise<Record<string, string>> {
  return Object.fromEntries(await Promise.all((await namesIn(directory)).map(async name => [name, await readFile(join(directory, name), 'utf8')])))
}

/** The same with their digests. */
export async function contentsOf (directory: string): Promise<Record<string, string>> {
  const names = await namesIn(directory)
  return Object.fromEntries(await Promise.all(names.map(async name => [name, createHash('md5').update(await readFile(join(directory, name))).digest('hex')])))
}

/**
 * Brings about a state only the super-user can, runs the task in it and undoes it. Where that can't be had the test
 * is skipped with the reason. Far from the fixtures, which the next run must be able to remove whatever happens here.
 */
async function inState (t: Test, make: readonly string[], undo: readonly string[], task: () => Promise<void>): Promise<void> {
  try {
    runCommand(make)
  } catch (error) {
    t.pass(make.join(' '), { skip: `needs root: ${(error as Error).message.trim()}` })
    return
  }
  try {
    await task()
  } finally {
    runCommand(undo)
  }
}

export function runCommand ([command, ...args]: readonly string[]): void {
  execFileSync(command!, args, { stdio: 'pipe' })
}

/** A disk of 256 KiB. */
export function onSmallDisk (t: Test, task: (directory: string) => Promise<void>): Promise<void> {
  return inTempDirectory(directory =>
    inState(t, ['mount', '-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', directory], ['umount', '-l', directory], () => task(directory)))
}

/** A file that can be neither replaced nor removed. */
export function withImmutableFile (t: Test, name: string, task: (directory: string) => Promise<void>): Promise<void> {
  return inTempDirectory(async directory => {
    await writeFile(join(directory, name), 'old')
    await inState(t, ['chattr', '+i', join(directory, name)], ['chattr', '-i', join(directory, name)], () => task(directory))
  })
}

async function inTempDirectory (task: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'fastify-onlyoffice-'))
  try {
    await task(directory)
  } finally {
    await rm(directory, { recursive: true })
  }
}

type Name = 'link' | 'lstat' | 'open' | 'opendir' | 'readdir' | 'rename' | 'rm' | 'stat' | 'unlink'
type Call = (path: string, ...rest: unknown[]) => Promise<unknown>

export interface Hook {
  /** What this process calls. */
  readonly name: Name
  /** Which of these calls is meant. */
  readonly isMeant: (path: string, ...rest: unknown[]) => boolean
  /** Runs instead of the call and may make it. */
  readonly instead: (call: () => Promise<unknown>) => Promise<unknown>
}

/** Stands in front of the file system of this process until the first call that is meant. */
export function hook (t: Test, { name, isMeant, instead }: Hook): void {
  const calls = fs as unknown as Record<Name, Call>
  const call = calls[name]
  const restore = () => {
    calls[name] = call
    syncBuiltinESMExports()
  }
  t.teardown(restore)
  calls[name] = async (...args) => {
    if (!isMeant(...args)) return await call(...args)
    restore()
    return await instead(async () => await call(...args))
  }
  syncBuiltinESMExports()
}

export function ioError (): Error {
  return Object.assign(new Error('EIO: made to fail'), { code: 'EIO' })
}

/** The storage of an application, with what only the plugin uses. */
export function storeOf ({ editorStorage }: Pick<FastifyInstance, 'editorStorage'>): DocumentStore {
  return editorStorage as DocumentStore
}

/** Runs before a record is set by whoever runs in its context, when what to write is decided: a request on its way. */
export const sending = new AsyncLocalStorage<() => Promise<void>>()

/** A storage in memory whose writes `sending` can hold. */
export function heldStorage (): ReturnType<typeof memoryStorage> {
  const driver = memoryDriver()
  const { storage } = createDocumentStore({
    ...driver,
    async set (...args) {
      await sending.getStore()?.()
      return await driver.set(...args)
    }
  })
  return storage as ReturnType<typeof memoryStorage>
}
