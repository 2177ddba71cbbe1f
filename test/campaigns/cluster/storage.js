import { S3Client } from '@aws-sdk/client-s3'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileStorage } from '../../../dist/lib/index.js'
import { s3Storage } from '../../../dist/lib/store/s3/index.js'
import { firstContent } from './document.js'

/** @typedef {import('../../../lib/store/contract.js').DocumentStore} DocumentStore */

/**
 * @typedef {object} S3Settings
 * @property {string} endpoint
 * @property {string} region
 * @property {string} accessKeyId
 * @property {string} secretAccessKey
 * @property {string} bucket
 */

/**
 * @typedef {object} StorageSettings
 * @property {string} directory of the documents, without `s3`
 * @property {S3Settings | undefined} s3
 * @property {boolean} redirects whether downloads are redirected to the object store
 * @property {boolean} ignoresConditions whether it writes whatever others have written meanwhile, which must show
 */

export const PREFIX = 'documents/'
const SWEEP_MS = 60_000

/**
 * The storage that instances share.
 * @param {StorageSettings} settings
 * @returns {DocumentStore}
 */
export function openStorage ({ directory, s3, redirects, ignoresConditions }) {
  const storage = s3 ? storeFor(s3, redirects) : fileStorage({ directory })
  return ignoresConditions ? withoutConditions(storage) : storage
}

/**
 * Stores a document under a name that it can be recognized by.
 * @param {StorageSettings} settings
 * @param {string} fileId
 */
export async function createDocument ({ directory, s3 }, fileId) {
  if (s3) await storeFor(s3, false).create('docx', firstContent(fileId), { fileId })
  else await writeFile(join(directory, `${fileId}.docx`), firstContent(fileId))
}

/**
 * @param {S3Settings} settings
 * @param {boolean} redirects
 */
function storeFor (settings, redirects) {
  return s3Storage({ client: clientFor(settings), bucket: settings.bucket, prefix: PREFIX, redirectDownloads: redirects, sweepInterval: SWEEP_MS })
}

/** @param {S3Settings} settings */
export function clientFor ({ endpoint, region, accessKeyId, secretAccessKey }) {
  return new S3Client({ endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } })
}

/**
 * As an object store that ignores If-Match and If-None-Match.
 * @param {DocumentStore} storage
 * @returns {DocumentStore}
 */
function withoutConditions (storage) {
  const { state } = storage
  return {
    ...storage,
    async commit (fileId, content, options) {
      for (;;) {
        const { info, record } = await storage.snapshot(fileId)
        if (info === null) return null
        const done = await storage.commit(fileId, content, { ...options, ifRevision: info.revision, ifRecordVersion: record?.version ?? null })
        if (done !== null) return done
      }
    },
    state: {
      ...state,
      async set (fileId, value, _version) {
        for (;;) {
          const version = await state.set(fileId, value, (await storage.snapshot(fileId)).record?.version ?? null)
          if (version !== null) return version
        }
      }
    }
  }
}
