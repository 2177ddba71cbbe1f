import { Readable } from 'node:stream'
import { isUint8Array } from 'node:util/types'
import type { EditorStorage } from '../../types/storage.js'
import type { StorageDriver } from '../../types/storage-driver.js'
import { InvalidOptionError } from '../errors.js'
import { once } from '../util/queue.js'
import { isObject } from '../util/validate.js'
import { createDocumentStore } from './document-store.js'

const METHODS = ['get', 'set', 'write', 'read', 'drop', 'list']

/**
 * Stores documents through a driver of your own: only its six methods differ between storages.
 *
 * A crash may leave blobs that no record names. If you delete them, spare the blobs of the last 24 hours, because a
 * record may be about to name them.
 *
 * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): a method is missing.
 *
 * @example
 * ```js
 * import editor from 'fastify-onlyoffice'
 * import { documentStorage } from 'fastify-onlyoffice/storage'
 * import { sqliteDriver } from './sqlite-driver.js'
 *
 * await app.register(editor, { ...options, storage: documentStorage(sqliteDriver('documents.db')) })
 * ```
 */
export function documentStorage (driver: StorageDriver): EditorStorage {
  const missing = METHODS.filter(name => !isObject(driver) || typeof driver[name as keyof StorageDriver] !== 'function')
  if (missing.length > 0) throw new InvalidOptionError('driver', `must have the methods ${missing.join(', ')}`)
  const { storage } = createDocumentStore({
    ready: once(async () => await driver.ready?.()),
    get: async fileId => await driver.get(fileId),
    set: async (...args) => await driver.set(...args),
    write: async (fileId, content) =>
      await driver.write(fileId, isUint8Array(content) ? Readable.from([content]) : content),
    read: async (...args) => await driver.read(...args),
    drop: async (...args) => { await driver.drop(...args) },
    list: () => driver.list(),
    ...(driver.url && { url: async (...args) => await driver.url!(...args) })
  })
  return { ...storage, close: async () => await driver.close?.() }
}
