import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { fileStorage, memoryStorage, type Storage } from '../../lib/index.js'

// Where tests keep documents that are about saves and sessions, not about a storage: in files, or with TEST_STORAGE=s3
// in an object store. What holds for files has to hold there.

type WholeStorage = Storage & Required<Pick<Storage, 'remove' | 'stage' | 'state' | 'versions'>>

export interface TestStorage {
  /** Opens it as a process of its own does, with which nothing else is shared. */
  open (): WholeStorage
  /** Another program makes a file or writes to it, without asking the application. */
  write (fileId: string, extension: string, text: string): Promise<void>
  /** Another program puts another file in its place. */
  replace (fileId: string, extension: string, text: string): Promise<void>
  /** Another program removes a file. */
  remove (fileId: string, extension: string): Promise<void>
  /** Names of the documents, and of whatever should not be left beside them, such as temp files. */
  listing (): Promise<string[]>
}

/** scripts/test-files.js names the test files that are not for it. */
export const isOnS3 = process.env.TEST_STORAGE === 's3'

/** Where file storage keeps its records of sessions, and the versions of documents. */
const OWN_FOLDERS = ['.fastify-onlyoffice-state', '.fastify-onlyoffice-versions']

/** The same one for a test whenever it asks. `directory`: of the files. */
export async function storageOf (t: Test, directory = join(t.testdirName, 'uploads')): Promise<TestStorage> {
  return isOnS3 ? await inObjects(t) : inFiles(directory)
}

/** In memory, or wherever the tests keep documents if that is not in files. */
export async function quickStorage (t: Test): Promise<WholeStorage> {
  return isOnS3 ? (await inObjects(t)).open() : memoryStorage()
}

function inFiles (directory: string): TestStorage {
  const path = (fileId: string, extension: string) => join(directory, `${fileId}.${extension}`)
  return {
    open: () => fileStorage({ directory }),
    async write (fileId, extension, text) {
      await mkdir(directory, { recursive: true })
      await writeFile(path(fileId, extension), text)
    },
    async replace (fileId, extension, text) {
      const replacing = join(directory, `${randomUUID()}.new`)
      await writeFile(replacing, text)
      await rename(replacing, path(fileId, extension))
    },
    remove: async (fileId, extension) => await rm(path(fileId, extension)),
    listing: async () => await documentsIn(directory)
  }
}

async function inObjects (t: Test): Promise<TestStorage> {
  // Not at the top: files need none of it, and it takes a while to load.
  const [{ s3 }, { s3Storage }] = await Promise.all([import('./s3.js'), import('../../lib/storage/s3/index.js')])
  const { options, list, textOf } = await s3(t)
  // Tests that skip time must not skip the storage's.
  const open = () => s3Storage({ ...options, sweepInterval: false, requestTimeout: 300_000 })
  const others = open()
  async function write (fileId: string, extension: string, text: string): Promise<void> {
    if (await others.replace(fileId, Buffer.from(text)) === null) await others.createAs(fileId, extension, Buffer.from(text))
  }

  return {
    open,
    write,
    replace: write,
    async remove (fileId) { await others.remove(fileId) },
    async listing () {
      const [records, contents] = [await list('records/'), await list('contents/')]
      const documents = await Promise.all(records.map(async key => {
        const info = await others.stat(fileIdIn(key))
        return info === null ? [] : [`${info.fileId}.${info.extension}`]
      }))
      const texts = await Promise.all(records.map(textOf))
      const unnamed = contents.filter(key => !texts.some(text => text.includes(key.slice(key.lastIndexOf('/') + 1))))
      return [...documents.flat(), ...unnamed].sort()
    }
  }
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
  const names = (await readdir(directory)).filter(name => !OWN_FOLDERS.includes(name))
  const own = await Promise.all(OWN_FOLDERS.map(async folder => await readdir(join(directory, folder), { recursive: true }).catch(() => [])))
  return [...names, ...own.flat().filter(name => name.includes('~'))].sort()
}
