// Opens pages of an application and sends its callbacks, as users and the document server do.
import { Pool } from 'undici'
import { answerCalls } from '../framework/child.js'
import { checkFile } from '../framework/content.js'
import { savedUrl } from '../framework/saved-file.js'
import { signedCallback } from './signed-callback.js'

/** @typedef {{ fileId: string, key: string, callbackPath: string, file: string }} Page */

/** @type {Pool} */
let application
let documentServer = ''
let saves = 0
/** @type {Page[]} */
let opened = []
/** Which save each file should contain now. @type {Map<string, { size: number, number: number }>} */
const saved = new Map()

answerCalls({
  /** @param {{ origin: string, documentServer: string, connections?: number }} options */
  start (options) {
    application = new Pool(options.origin, { connections: options.connections ?? 1, headersTimeout: 600_000 })
    documentServer = options.documentServer
  },

  /**
   * Page, status 1, save; one after the other.
   * @param {{ fileIds: string[], size: number, length: import('../framework/measure.js').Length }} options
   */
  async sessions ({ fileIds, size, length }) {
    const started = performance.now()
    let operations = 0
    do {
      const page = await openSession(/** @type {string} */ (fileIds[saves % fileIds.length]))
      await save(page, size)
      operations++
    } while ('seconds' in length ? performance.now() - started < length.seconds * 1000 : operations < length.operations)
    return { operations, seconds: (performance.now() - started) / 1000 }
  },

  /**
   * Opens a page and a session of each file, for `saveOpened`.
   * @param {string[]} fileIds
   */
  async openSessions (fileIds) {
    opened = await Promise.all(fileIds.map(openSession))
  },

  /**
   * Saves all opened documents at once. Resolves to the seconds that it took.
   * @param {{ size: number }} options
   */
  async saveOpened ({ size }) {
    const started = performance.now()
    await Promise.all(opened.map(page => save(page, size)))
    return (performance.now() - started) / 1000
  },

  /** Rejects if a file is not what its latest save contained. */
  async check () {
    if (saved.size === 0) throw new Error('nothing was saved')
    for (const [file, { size, number }] of saved) await checkFile(file, size, number)
  }
})

/**
 * @param {string} fileId
 * @returns {Promise<Page>}
 */
async function openPage (fileId) {
  const { statusCode, body } = await application.request({ path: `/page?fileId=${fileId}`, method: 'GET' })
  if (statusCode !== 200) throw new Error(`a page was answered with status ${statusCode}`)
  return /** @type {Page} */ (await body.json())
}

/** @param {string} fileId */
async function openSession (fileId) {
  const page = await openPage(fileId)
  await joined(page)
  return page
}

/** @param {Page} page */
async function joined ({ key, callbackPath }) {
  await call(callbackPath, signedCallback(key, 1, { actions: [{ type: 1, userid: 'ada' }] }))
}

/**
 * @param {Page} page
 * @param {number} size
 */
async function save ({ key, callbackPath, file }, size) {
  const number = ++saves
  await call(
    callbackPath,
    signedCallback(key, 2, { url: savedUrl(documentServer, key, { size, number }), filetype: 'txt' })
  )
  saved.set(file, { size, number })
}

/**
 * @param {string} path
 * @param {string} body
 */
async function call (path, body) {
  const response = await application.request({
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body
  })
  const answer = await response.body.text()
  if (response.statusCode !== 200 || answer !== '{"error":0}') {
    throw new Error(`a callback was answered with ${response.statusCode} ${answer}`)
  }
}
