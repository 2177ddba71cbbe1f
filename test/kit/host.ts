// A real service with the plugin, listening: `startHost`. It has what a document server sends to it (callbacks,
// downloads), and what its pages send (proxied requests); `startPageHost` is one whose pages ask for actions.
// Everything that starts something ends it when the test ends.
import http from 'node:http'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import { type DocumentKeys, documentKeys } from '../../lib/document-server/document-key.js'
import { tokenSigner } from '../../lib/document-server/token.js'
import editor, { type ActionOptions, type EditorControlDefaults, type FastifyOnlyofficeOptions, memoryStorage, type EditorStorage } from '../../lib/index.js'
import { type HandlerUrls, handlerUrls } from '../../lib/security/signatures.js'
import type { EditorClock } from '../../types/options.js'
import { claimOf, SECRET } from './document-server.js'
import { asDocumentServer, listen } from './http.js'
import { memoryLog, searchedLog } from './log.js'

export const HANDLER = '/Controls/Editor/EditorHandler.ashx'
export const tokens = tokenSigner([SECRET])

export interface HostOptions extends Omit<Partial<FastifyOnlyofficeOptions>, 'storage'> {
  /** By default in memory. `undefined`: that of the plugin. */
  readonly storage?: EditorStorage | undefined
  /** Origin of the document server. Default: one that refuses connections. */
  readonly documentServerOrigin?: string
  readonly server?: FastifyServerOptions
  /** Runs before the plugin is registered. */
  readonly prepare?: (app: FastifyInstance) => unknown
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

export interface Host {
  readonly app: FastifyInstance
  readonly origin: string
  readonly storage: EditorStorage
  /** The handler's address with a query. */
  handler (query: Record<string, string>): string
  /** The addresses the control would give a file, signed in the secure profile; of files that do not exist, too. */
  readonly urls: HandlerUrls
  /** The document keys of the service. */
  readonly keys: DocumentKeys
  /**
   * Posts a callback to the file's own callback URL: an object as JSON, without a token as `asDocumentServer` makes it,
   * anything else as it stands.
   */
  postCallback (fileId: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  /**
   * Posts a callback as the document server does, with a token in the body and one in the header. Its URLs are as
   * `asDocumentServer` makes them.
   */
  postSignedCallback (fileId: string, payload: object): Promise<Answer>
  /** Downloads as the document server does: by the address in the configuration, with its token in the header. */
  downloadAsDocumentServer (fileId: string, headers?: Record<string, string>, url?: string): Promise<Response>
  /** Fetches through the proxy action as a page with an editor does. */
  proxied (url: string, init?: RequestInit): Promise<Response>
  /** What such a page sends besides. */
  readonly proxyHeaders: Record<string, string>
  /** The stored bytes as text. */
  storedText (fileId: string): Promise<string | null>
}

/** Fastify gives a plugin ten seconds, which a busy machine may exceed. */
const START_WITHIN_MS = 60_000

/** A service with the plugin, really listening, its files in memory. Closed when the test ends. */
export async function startHost (t: Test, { documentServerOrigin = 'http://127.0.0.1:9', server = {}, prepare, ...options }: HostOptions = {}): Promise<Host> {
  const { jwtSecret = SECRET, clock = Date } = options
  const secrets = [jwtSecret].flat()
  const logger = searchedLog(t, secrets)
  const httpServer = http.createServer()
  const { origin } = await listen(t, httpServer) // listens first: the plugin wants to know its own address
  const app = Fastify({ logger, pluginTimeout: START_WITHIN_MS, ...server, serverFactory: handler => httpServer.on('request', handler) })
  t.teardown(() => app.close())
  await prepare?.(app)
  await app.register(editor, {
    editorApiUrl: `${documentServerOrigin}/web-apps/apps/api/documents/api.js`,
    jwtSecret: SECRET,
    publicBaseUrl: origin,
    storage: memoryStorage(),
    ...options
  } as FastifyOnlyofficeOptions)
  await app.ready()

  const {
    profile = 'secure',
    signedUrls = profile === 'secure',
    publicBaseUrl: given = origin,
    path = HANDLER,
    prefix = '',
    downloadUrlLifetime = 86_400_000
  } = options
  const publicBaseUrl = given as string
  const urls = handlerUrls({ publicBaseUrl: () => publicBaseUrl, path: prefix + path, secrets, signedUrls, downloadUrlLifetime, clock })
  const handler = (query: Record<string, string>) => `${origin}${HANDLER}?${new URLSearchParams(query)}`
  const proxyHeaders = { 'x-editor-proxy-token': urls.proxyToken('') }
  const { origins = profile === 'classic' ? 'any' : [], internalUrl } = options.documentServer ?? {}
  const own = origins === 'any' ? [] : [documentServerOrigin, ...origins, ...(internalUrl === undefined ? [] : [internalUrl])]
  async function postCallback (fileId: string, body: unknown, headers: Record<string, string> = { 'content-type': 'application/json' }): Promise<Answer> {
    const isPlain = typeof body === 'object' && body !== null && !(body instanceof Uint8Array) && !('token' in body)
    const raw = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(isPlain ? asDocumentServer(body, own) : body)
    const response = await fetch(urls.callback(fileId).replace(publicBaseUrl, origin), {
      method: 'POST',
      headers,
      body: raw as NonNullable<RequestInit['body']>
    })
    return { status: response.status, headers: response.headers, body: await response.text() }
  }

  return {
    app,
    origin,
    storage: app.editorStorage,
    handler,
    urls,
    keys: documentKeys(() => publicBaseUrl + prefix + path, documentServerOrigin),
    postCallback,
    async postSignedCallback (fileId, given) {
      const payload = asDocumentServer(given, own)
      return await postCallback(fileId, { ...payload, token: signed({ ...payload, ...claimOf('callback') }, tokens, clock) }, {
        'content-type': 'application/json',
        authorization: `Bearer ${signed({ payload, ...claimOf('callback') }, tokens, clock)}`
      })
    },
    async downloadAsDocumentServer (fileId, headers = {}, url = urls.download(fileId)) {
      return fetch(url.replace(publicBaseUrl, origin), {
        headers: {
          authorization: `Bearer ${signed({ payload: { url }, ...claimOf('download') }, tokens, clock)}`,
          ...headers
        }
      })
    },
    proxied: (url, init = {}) => fetch(handler({ action: 'proxy', url }), { ...init, headers: { ...proxyHeaders, ...init.headers as Record<string, string> } }),
    proxyHeaders,
    async storedText (fileId) {
      const file = await app.editorStorage.read(fileId)
      if (!file) return null
      const chunks: Uint8Array[] = []
      for await (const chunk of file.body) chunks.push(chunk)
      return Buffer.concat(chunks).toString('utf8')
    }
  }
}

/** A token as the document server signs it: with the secret, valid for five minutes. */
export function signed (claims: object, signer = tokens, clock: EditorClock = Date): string {
  const iat = Math.floor(clock.now() / 1000)
  return signer.sign({ ...claims, iat, exp: iat + 300 })
}

export const ADA = { id: 'ada', name: 'Ada' }

export interface ActionAnswer {
  readonly status: number
  readonly headers: Headers
  /** Without the tokens. */
  readonly body: Readonly<Record<string, any>>
  /** What every answer that is no error has besides. */
  readonly tokens: { readonly pageToken?: string, readonly proxyToken?: string }
}

export interface PageHost extends Host {
  /** A stored document, `Report.docx`. */
  readonly fileId: string
  readonly records: ReturnType<typeof memoryLog>['records']
  readonly logText: () => string
  /** The token of a page with the document. */
  tokenOf (defaults?: EditorControlDefaults, fileId?: string): Promise<string>
  /** Asks as a page's module does; an object as JSON. */
  ask (action: string, body?: unknown, options?: AskOptions): Promise<ActionAnswer>
}

export interface AskOptions {
  /** Default: that of Ada's page. */
  readonly token?: string | undefined
  readonly headers?: Record<string, string>
  readonly method?: string
}

/** An application with actions, really listening. */
export async function startPageHost (t: Test, { actions = {}, ...options }: HostOptions & { readonly actions?: ActionOptions | undefined } = {}): Promise<PageHost> {
  const log = memoryLog()
  const host = await startHost(t, { actions, server: log.server, ...options })
  const { fileId } = await host.storage.create('docx', Buffer.from('PK\u0003\u0004 a report'))

  async function tokenOf (defaults: EditorControlDefaults = { user: ADA }, id = fileId): Promise<string> {
    return (await host.app.editorControl(defaults).openDocument(id, { title: 'Report.docx' })).pageToken
  }

  return {
    ...host,
    fileId,
    records: log.records,
    logText: log.text,
    tokenOf,
    async ask (action, body = {}, { headers = {}, method = 'POST', ...given } = {}) {
      const token = 'token' in given ? given.token : await tokenOf()
      const response = await fetch(`${host.origin}${HANDLER}/actions/${action}`, {
        method,
        headers: { 'content-type': 'application/json', ...(token !== undefined && { 'x-editor-page-token': token }), ...headers },
        ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) })
      })
      const text = await response.text()
      const isJson = /^application\/json/.test(response.headers.get('content-type') ?? '')
      const { pageToken, proxyToken, ...answer } = isJson ? JSON.parse(text) : { text }
      return { status: response.status, headers: response.headers, body: answer, tokens: { ...(pageToken !== undefined && { pageToken, proxyToken }) } }
    }
  }
}
