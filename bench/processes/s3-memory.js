// How much the memory of an application grows while a document passes between it and an object store.
import { measureGrowth, readSlowly, save } from './memory.js'
import { startProcess } from './process.js'

const CHUNK = Buffer.alloc(64 * 1024, 'document')

/**
 * Rejects if a result is wrong.
 * @param {object} options
 * @param {Record<string, string>} options.environment of a process with the storage of store.js
 * @param {Pick<import('../../types/storage.js').EditorStorage, 'stat' | 'replace'>} options.storage the same one, in
 *   this process
 * @param {number} options.size
 */
export async function measureS3Growth ({ environment, storage, size }) {
  const upstream = await startProcess('upstream.js', {})
  try {
    return {
      save: await measureGrowth({
        upstream,
        environment,
        size,
        async work (application, bytes) {
          await save(application, upstream.origin, bytes)
          assertSize(await storage.stat(application.fileId), bytes)
        }
      }),
      download: await measureGrowth({
        upstream,
        environment,
        size,
        async work (application, bytes) {
          await storage.replace(application.fileId, content(bytes))
          const { config } = await application.openPage()
          const { received } = await readSlowly(
            String(config.document?.url).replace('http://documents.test', application.origin)
          )
          assertSize({ size: received }, bytes)
        }
      })
    }
  } finally {
    await upstream.stop()
  }
}

/** @param {number} size */
async function * content (size) {
  for (let sent = 0; sent < size; sent += CHUNK.length) yield CHUNK.subarray(0, size - sent)
}

/**
 * @param {{ readonly size: number } | null} found
 * @param {number} expected
 */
function assertSize (found, expected) {
  if (found?.size !== expected) throw new Error(`there are ${found?.size} bytes instead of ${expected}`)
}
