// The object store that some tests need: one for a whole run.
import { readFile } from 'node:fs/promises'
import { freePort, missingPrograms, startCeph } from './ceph.js'

/** What every test file imports that needs the store. */
const HELPER = 'kit/s3.js'
const NOT_INSTALLED = 'Ceph is not installed: install ceph-mon, ceph-osd and radosgw'
/** Otherwise every process says that the SDK is going to need a newer Node.js. */
const QUIET = { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' }

/**
 * Starts the store if a test file needs it and it is installed. It gets ready while the first tests run, which wait for
 * it.
 * @param {string[]} files
 * @returns {Promise<{ env: Record<string, string>, stop: () => Promise<void> }>}
 * @throws {Error} if all tests need it and it is not installed
 */
export async function startStore (files) {
  const { TEST_STORAGE, S3_TEST_ENDPOINT } = process.env
  const isNeeded = TEST_STORAGE === 's3' || await anyImportsHelper(files)
  if (!isNeeded || S3_TEST_ENDPOINT) return { env: QUIET, stop: async () => {} }
  if (missingPrograms().length > 0) {
    if (TEST_STORAGE === 's3') throw new Error(NOT_INSTALLED)
    return { env: QUIET, stop: async () => {} }
  }

  const port = await freePort()
  const starting = startCeph({ port })
  starting.catch(error => console.error(error))
  return {
    env: { ...QUIET, S3_TEST_ENDPOINT: `http://127.0.0.1:${port}` },
    stop: async () => await (await starting).stop()
  }
}

/** @param {string[]} files */
async function anyImportsHelper (files) {
  const texts = await Promise.all(files.map(async file => await readFile(file, 'utf8')))
  return texts.some(text => text.includes(HELPER))
}
