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
import { answerTo, requestTo, requestToServer } from './messages.js'
import { createRecord } from './record.js'

/** @import { FastifyInstance, FastifyRequest } from 'fastify' */
/** @import { Storage } from 'fastify-onlyoffice' */
/** @import { DocumentServer, EditorConfig } from 'onlyoffice-emulator' */
/** @import { Conversation } from './record.js' */

export const DISK_FULL = Object.assign(new Error('the disk is full'), { code: 'ENOSPC' })

const HOST = '127.0.0.1'
const REPORT = fileURLToPath(new URL('../../../../examples/demo/documents/Opening week.docx', import.meta.url))

/** The calls that touch the content of a document. @type {Partial<Record<keyof Storage, string>>} */
const STORAGE_CALLS = {
  read: 'read the file',
  replace: 'replace the file, unless it has changed',
  create: 'store the conflict copy'
}

/**
 * @param {{ port?: number, serverPort?: number }} [options] Where to listen, if that is free. Default: any free port.
 */
export async function startService ({ port: wanted = 0, serverPort = 0 } = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'diagrams-'))
  const record = createRecord()
  const jwtSecret = randomBytes(32).toString('hex')
  const documentServer = await createDocumentServer({
    jwtSecret,
    libreOffice: false,
    port: await freePort(serverPort),
    logger: { level: 'info', stream: { write: line => recordLogged(line, record) } }
  })
  const port = await freePort(wanted)
  const page = `http://${HOST}:${port}/report`
  const app = Fastify({ forceCloseConnections: true })
  const { storage, failNextSave } = recordedStorage(fileStorage({ directory }), record)
  recordRequests(app, record, documentServer)
  await app.register(editor, {
    editorApiUrl: documentServer.editorApiUrl,
    jwtSecret,
    publicBaseUrl: new URL(page).origin,
    storage,
    saveRetries: 0
  })
  reportRoute(app)
  await app.listen({ port, host: HOST })
  const file = join(directory, 'report.docx')
  await copyFile(REPORT, file)

  return {
    /** URL of the page with the report. */
    page,
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
      const response = await fetch(`${page}?user=${name}`)
      const session = await documentServer.open(configOf(await response.text()))
      await this.joined()
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
 * @param {string} line Of the document server's log.
 * @param {Conversation} record
 */
function recordLogged (line, record) {
  const { msg, req } = JSON.parse(line)
  const message = msg === 'incoming request' ? requestToServer(req.url) : null
  if (message) record.sayBecauseOfLatest(message)
}

/**
 * @param {FastifyInstance} app
 * @param {Conversation} record
 * @param {DocumentServer} documentServer
 */
function recordRequests (app, record, documentServer) {
  /** @type {WeakMap<FastifyRequest, ReturnType<Conversation['request']>>} */
  const entries = new WeakMap()

  app.addHook('onRequest', (request, _reply, done) => {
    const message = requestTo(request.url, () => sentWith(request.url))
    if (message) entries.set(request, record.request(message, done))
    else done()
  })
  app.addHook('onSend', async (request, _reply, payload) => {
    const entry = entries.get(request)
    if (entry) record.answer(entry, answerTo(request.url, payload))
    return payload
  })

  /** @param {string} url */
  function sentWith (url) {
    return documentServer.sentRequests.findLast(sent => sent.url.endsWith(url) && sent.answer === null)?.body ?? {}
  }
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
