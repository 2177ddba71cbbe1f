import { randomUUID } from 'node:crypto'
import { StorageError } from '../../errors.js'
import { parseJson } from '../../util/text.js'
import type { Driver } from '../contract.js'
import type { ObjectNames } from './names.js'
import type { ObjectStore } from './object-store.js'
import { isCertainConflict, isConflict } from './store-errors.js'

/** `lifetime`: milliseconds for which URLs are valid; without it there are none. */
export function s3Driver (
  { store, names }: { readonly store: ObjectStore, readonly names: ObjectNames },
  ready: () => Promise<void>, lifetime: number | undefined
): Driver {
  return {
    ready,

    async get (fileId) {
      const found = await store.get(names.record(fileId))
      return found && { record: parseJson(found.text), etag: found.etag, modifiedAt: found.modifiedAt }
    },

    async set (fileId, record, ifMatch) {
      const key = names.record(fileId)
      if (record === null) {
        await store.remove(key)
        // A store may report a record as removed although a simultaneous write has kept it.
        return await store.get(key) === null ? '' : null
      }
      try {
        return await store.put(key, JSON.stringify(record), ifMatch === null ? 'absent' : { etag: ifMatch })
      } catch (error) {
        if (isCertainConflict(error)) return null
        throw isConflict(error) ? new StorageError('it is unknown whether a record was written', { cause: error }) : error
      }
    },

    async write (fileId, content) {
      const name = randomUUID()
      return { name, size: await store.upload(names.content(fileId, name), content) }
    },

    async read (fileId, { name, size }, range) {
      return await store.open(names.content(fileId, name), size, range)
    },

    async drop (fileId, name) {
      await store.remove(names.content(fileId, name))
    },

    async * list () {
      for await (const { key } of store.list(names.records)) {
        const fileId = names.parseRecord(key)
        if (fileId !== undefined) yield fileId
      }
    },

    ...(lifetime !== undefined && {
      url: async (fileId, { name }) => await store.urlOf(names.content(fileId, name), lifetime)
    })
  }
}
