import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { PUBLIC, SECRET } from './addresses.js'
import { makeDocument } from './documents.js'

const PATIENCE_MS = 60_000

/** The names of a saved document, and of the data of its changes beside it. */
const OUTPUT = 'output.docx'
const CHANGES = 'changes.zip'
const CHANGES_SIZE = 5000

/**
 * What one editing session hands over at once, and what became of it.
 * @typedef {object} Save
 * @property {string} fileId
 * @property {string} key
 * @property {2 | 6} status
 * @property {number} version of the content
 * @property {string} path
 * @property {string} lastsave
 * @property {string} filetype
 * @property {Buffer} bytes
 * @property {Promise<void> | number} pause in the middle of the download; milliseconds
 * @property {boolean} isBroken whether the download fails, for now
 * @property {number} asked how often the content was asked for
 * @property {() => void} begun called when the content is asked for
 * @property {() => void} sent called when all of it was sent
 * @property {boolean} isSent
 * @property {boolean} isAcknowledged
 * @property {boolean} isAbandoned whether nobody hands it over again
 */

/** The part of a document server that hands saves over: a real HTTP server, and the callbacks it posts. */
export async function startDocumentServer () {
  /** @type {Map<string, Save>} */
  const saves = new Map()
  /** @type {Map<string, string>} by fileId: as the configuration of whoever opened it last said */
  const callbackUrls = new Map()
  /** @type {Set<string>} keys under which somebody edits for certain: no final save is under way or was stored */
  const live = new Set()
  const server = http.createServer((request, response) => {
    if (request.method === 'POST') return answerCommand(request, response, live)
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const save = saves.get(pathname.replaceAll(CHANGES, OUTPUT))
    if (save && pathname.endsWith(CHANGES)) response.end(makeDocument({ fileId: save.fileId, version: save.version }, CHANGES_SIZE))
    else serve(save, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const origin = `http://127.0.0.1:${port}`

  return {
    origin,
    /** @param {Save} save */
    offer: save => { saves.set(save.path, save) },
    /**
     * Posts the save with a fresh address and a fresh token. Resolves to the answered `error`, to `undefined` when the
     * connection broke.
     * @param {Save} save
     * @param {string} to origin of a service
     * @returns {Promise<0 | 1 | undefined>}
     */
    async post ({ fileId, key, status, version, path, lastsave, filetype }, to) {
      const query = `md5=${Math.random()}&expires=${Date.now()}`
      const history = { changes: [{ created: lastsave, user: { id: 'u1', name: `made ${version}` } }], serverVersion: '9.3.0' }
      if (status === 2) live.delete(key)
      const answer = await postCallback(to, callbackUrls.get(fileId), {
        key,
        status,
        url: `${origin}${path}?${query}&filename=${OUTPUT}`,
        changesurl: `${origin}${path.replaceAll(OUTPUT, CHANGES)}?${query}&filename=${CHANGES}`,
        history,
        users: ['u1'],
        lastsave,
        notmodified: false,
        filetype
      })
      if (status === 2 && answer === 1) live.add(key) // they go on
      return answer
    },
    /**
     * Someone opened the document in the editor.
     * @param {string} fileId
     * @param {string} key
     * @param {string} to
     */
    async postOpened (fileId, key, to) {
      const { callbackUrl } = await openedConfig(fileId, to)
      callbackUrls.set(fileId, callbackUrl)
      live.add(key)
      return await postCallback(to, callbackUrl, { key, status: 1, users: ['u1'], actions: [{ type: 1, userid: 'u1' }] })
    },
    close () {
      server.close()
      server.closeAllConnections()
    }
  }
}

/**
 * The command `info`. There is no answer about keys under which perhaps nobody edits.
 * @param {http.IncomingMessage} request
 * @param {http.ServerResponse} response
 * @param {Set<string>} live
 */
async function answerCommand (request, response, live) {
  const { key } = JSON.parse(await text(request))
  if (live.has(key)) response.end('{"error":0,"users":["u1"]}')
  else response.writeHead(404).end()
}

/**
 * @param {Save | undefined} save
 * @param {http.ServerResponse} response
 */
async function serve (save, response) {
  if (!save) {
    response.writeHead(404).end()
    return
  }
  const { bytes, pause, isBroken } = save
  save.asked++
  save.begun()
  const half = Math.floor(bytes.length / 2)
  response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, half))
  await (typeof pause === 'number' ? delay(pause) : pause)
  if (isBroken) response.destroy()
  response.once('finish', () => {
    save.isSent = true
    save.sent()
  })
  response.end(bytes.subarray(half))
}

/**
 * @param {string} to
 * @param {string | undefined} callbackUrl
 * @param {object} payload
 * @returns {Promise<0 | 1 | undefined>}
 */
async function postCallback (to, callbackUrl, payload) {
  if (callbackUrl === undefined) throw new Error('nobody has opened the document')
  const body = JSON.stringify({ ...payload, token: signed(payload) })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${signed({ payload })}` }
  const answer = await ask(callbackUrl.replace(PUBLIC, to), { method: 'POST', headers, body })
  if (answer === undefined) return undefined
  const { error } = JSON.parse(answer.toString())
  if (error !== 0 && error !== 1) throw new Error(`the service answered ${answer}`)
  return error
}

/**
 * Downloads the stored document as the document server does.
 * @param {string} fileId
 * @param {string} from origin of a service
 */
export async function download (fileId, from) {
  const { documentUrl: url } = await openedConfig(fileId, from)
  return await ask(url.replace(PUBLIC, from), { headers: { authorization: `Bearer ${signed({ payload: { url } })}` } })
}

/**
 * The key whoever opens the document gets now.
 * @param {string} fileId
 * @param {string} from origin of a service
 */
export async function openedKey (fileId, from) {
  return (await openedConfig(fileId, from)).key
}

/**
 * What the page of whoever opens the document tells the document server.
 * @param {string} fileId
 * @param {string} from origin of a service
 * @returns {Promise<{ key: string, documentUrl: string, callbackUrl: string }>}
 */
async function openedConfig (fileId, from) {
  const answer = await ask(`${from}/config?fileId=${fileId}`)
  if (answer === undefined) throw new Error(`${from} gave no answer when ${fileId} was opened`)
  const { document, editorConfig } = JSON.parse(answer.toString())
  return { key: document.key, documentUrl: document.url, callbackUrl: editorConfig.callbackUrl }
}

/**
 * The body of the answer, `undefined` when there was none. No answer in a minute is an error.
 * @param {string} url
 * @param {RequestInit} [options]
 */
async function ask (url, options) {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  try {
    const response = await fetch(url, { ...options, signal })
    const body = Buffer.from(await response.arrayBuffer())
    if (response.status !== 200) throw new Error(`${url} was answered ${response.status}: ${body}`)
    return body
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return undefined
  }
}

/** @param {object} claims */
function signed (claims) {
  const iat = Math.floor(Date.now() / 1000)
  const parts = [{ alg: 'HS256', typ: 'JWT' }, { ...claims, iat, exp: iat + 300 }]
  const text = parts.map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`
}
