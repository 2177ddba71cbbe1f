// An application with the plugin and a document server that really talk to each other, and the record of what they say.
import Fastify from 'fastify'
import editor, { fileStorage } from 'fastify-onlyoffice'
import { randomBytes } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDocumentServer } from 'onlyoffice-emulator'
import { choosePort } from '../../../../examples/demo/port.js'
import { reportRoute } from '../../report-page.js'
import { createRecord } from './record.js'

/** @import { FastifyRequest } from 'fastify' */
/** @import { Storage } from 'fastify-onlyoffice' */
/** @import { EditorConfig } from 'onlyoffice-emulator' */
/** @import { Message } from '../svg/sequence.js' */
/** @typedef {Awaited<ReturnType<typeof startService>>} Service */
/** @typedef {ReturnType<typeof createRecord>} Conversation */

export const DISK_FULL = Object.assign(new Error('the disk is full'), { code: 'ENOSPC' })

const HOST = '127.0.0.1'
const REPORT = fileURLToPath(new URL('../../../../examples/demo/documents/Project report.docx', import.meta.url))

/** The calls that touch the content of a document. @type {Partial<Record<keyof Storage, string>>} */
const STORAGE_CALLS = {
  read: 'read the file',
  replace: 'replace the file, unless it has changed',
  create: 'store the conflict copy'
}

/**
 * Requests that the document server has in its log.
 * @type {ReadonlyArray<[path: RegExp, message: Message]>}
 */
const SERVER_REQUESTS = [
  [/\/api\.js$/, { from: 'browser', to: 'documentServer', says: 'the editor’s script', code: 'GET api.js' }],
  [/^\/web-apps\/.*\/index\.html$/, { from: 'browser', to: 'documentServer', says: 'the editor itself, in a frame' }],
  [/\/doc\/socket$/, { from: 'browser', to: 'documentServer', says: 'the configuration with its token', code: 'WebSocket' }],
  [/^\/cache\/files\//, { from: 'application', to: 'documentServer', says: 'fetch the saved file', code: 'GET the URL in the callback' }],
  [/CommandService/, { from: 'application', to: 'documentServer', says: 'does anybody still edit?', code: 'POST command' }]
]

/** @param {{ port?: number, serverPort?: number }} [options] Where to listen, if that is free. Default: any free port. */
export async function startService ({ port: wanted = 0, serverPort = 0 } = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'diagrams-'))
  const record = createRecord()
  const jwtSecret = randomBytes(32).toString('hex')
  const documentServer = await createDocumentServer({ jwtSecret, libreOffice: false, port: await freePort(serverPort), logger: { level: 'info', stream: { write: logged } } })
  const port = await freePort(wanted)
  const url = `http://${HOST}:${port}`
  const app = Fastify({ forceCloseConnections: true })
  const { storage, failNextSave } = recordedStorage(fileStorage({ directory }), record)
  recordRequests(app, record, documentServer)
  await app.register(editor, { editorApiUrl: documentServer.editorApiUrl, jwtSecret, publicBaseUrl: url, storage, saveRetries: 0 })
  reportRoute(app)
  await app.listen({ port, host: HOST })
  const file = join(directory, 'report.docx')
  await copyFile(REPORT, file)

  /** @param {string} line */
  function logged (line) {
    const { msg, req } = JSON.parse(line)
    if (msg !== 'incoming request') return
    const { pathname } = new URL(req.url, url)
    const [, message] = SERVER_REQUESTS.find(([path]) => path.test(pathname)) ?? []
    if (message) record.sayBecauseOfLatest(message)
  }

  return {
    /** URL of the page with the report. */
    page: `${url}/report`,
    documentServerUrl: documentServer.url,
    /** Path of the report. */
    file,
    record,
    failNextSave,

    /** The application has answered that somebody has joined. */
    async joined () {
      await documentServer.nextCallback(1)
    },

    /**
     * Opens the report as the editor in a page does.
     * @param {string} name
     */
    async open (name) {
      const response = await fetch(`${url}/report?user=${name}`)
      const config = configOf(await response.text())
      const session = await documentServer.open(config)
      await documentServer.nextCallback(1)
      return {
        /** The document key. */
        key: session.key,
        /** Whether the document server had the content of a refused save. */
        hasKeptChanges: session.events.some(event => event.type === 'joined' && event.hasForgotten),

        /** @param {string} text */
        async edit (text) {
          await session.edit(text)
          record.say({ from: 'browser', to: 'documentServer', says: `changes of ${name}` })
        },

        async forceSave () {
          record.say({ from: 'browser', to: 'documentServer', says: `${name} presses the save button` })
          return await session.forceSave()
        },

        async leave () {
          record.say({ from: 'browser', to: 'documentServer', says: `${name} closes the page` })
          return await session.close()
        }
      }
    },

    async close () {
      await documentServer.close()
      await app.close()
      await rm(directory, { recursive: true, force: true })
    }
  }
}

/** @param {number} wanted */
function freePort (wanted) {
  return choosePort(HOST, wanted).catch(() => choosePort(HOST, 0))
}

/**
 * @param {import('fastify').FastifyInstance} app
 * @param {Conversation} record
 * @param {import('onlyoffice-emulator').DocumentServer} documentServer
 */
function recordRequests (app, record, documentServer) {
  /** @type {WeakMap<FastifyRequest, ReturnType<Conversation['request']>>} */
  const entries = new WeakMap()

  app.addHook('onRequest', (request, _reply, done) => {
    const message = messageOf(request)
    if (message) entries.set(request, record.request(message, done))
    else done()
  })
  app.addHook('onSend', async (request, _reply, payload) => {
    const entry = entries.get(request)
    if (entry) record.answer(entry, answerOf(request, payload))
    return payload
  })

  /** @param {FastifyRequest} request @returns {Message | null} */
  function messageOf (request) {
    const { path, action } = placeOf(request)
    if (path === '/report') return { from: 'browser', to: 'application', says: 'the page', code: 'GET /report' }
    if (path.endsWith('/assets/editor.js')) return { from: 'browser', to: 'application', says: 'the module that mounts the editor', code: 'GET assets/editor.js' }
    if (action === 'download') return { from: 'documentServer', to: 'application', says: 'the document', code: 'GET ?action=download' }
    if (action !== 'callback') return null
    const sent = documentServer.sentRequests.findLast(({ url, answer }) => url.endsWith(request.url) && answer === null)
    const { status, actions } = /** @type {{ status?: number, actions?: Action[] }} */ (sent?.body ?? {})
    return { from: 'documentServer', to: 'application', says: meaningOf(status, actions?.[0]), code: `POST ?action=callback, status ${status}` }
  }
}

/** @typedef {{ type: number, userid: string }} Action */

/**
 * @param {number | undefined} status
 * @param {Action | undefined} action
 */
function meaningOf (status, action) {
  if (status === 1) return action ? `${action.userid} has ${action.type === 1 ? 'joined' : 'left'}` : 'there are editors'
  if (status === 2) return 'the last one has left: save'
  if (status === 4) return 'the last one has left, nothing has changed'
  return 'save, the session goes on'
}

/**
 * @param {FastifyRequest} request
 * @param {unknown} payload
 * @returns {Message | null}
 */
function answerOf (request, payload) {
  const { path, action } = placeOf(request)
  if (path === '/report') return { from: 'application', to: 'browser', says: 'HTML with the signed configuration', isReply: true }
  if (action === 'download') return { from: 'application', to: 'documentServer', says: 'the file', isReply: true }
  if (action !== 'callback') return null
  const isAccepted = JSON.parse(String(payload)).error === 0
  return { from: 'application', to: 'documentServer', says: isAccepted ? 'accepted' : 'refused', code: String(payload).trim(), isReply: true, isBad: !isAccepted }
}

/** @param {FastifyRequest} request */
function placeOf (request) {
  const { pathname, searchParams } = new URL(request.url, 'http://application')
  return { path: pathname, action: searchParams.get('action') }
}

/** @param {string} html @returns {EditorConfig} */
function configOf (html) {
  const [, json = 'null'] = /<script type="application\/json">(.*?)<\/script>/s.exec(html) ?? []
  return JSON.parse(json)
}

/**
 * @param {Storage} storage
 * @param {Conversation} record
 */
function recordedStorage (storage, record) {
  /** @type {Error | null} */
  let failure = null
  const calls = Object.entries(STORAGE_CALLS).map(([name, says]) => [name, (/** @type {unknown[]} */ ...args) => {
    record.say({ from: 'application', to: 'storage', says })
    if (failure === null || name !== 'replace') return /** @type {any} */ (storage)[name](...args)
    const error = failure
    failure = null
    record.say({ from: 'storage', to: 'application', says: error.message, isReply: true, isBad: true })
    return Promise.reject(error)
  }])
  return {
    storage: /** @type {Storage} */ ({ ...storage, ...Object.fromEntries(calls) }),
    /** @param {Error} error */
    failNextSave (error) { failure = error }
  }
}
