import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { createVerifier } from 'fast-jwt'
import type { Test } from 'tap'
import { claimOf, emulatedOptions, forgedToken } from '../../test/kit/document-server.js'
import { listen } from '../../test/kit/http.js'
import { createDocumentServer, type DocumentServer, type DocumentServerOptions, type EditorConfig, fakeClock } from '../lib/index.js'

export const SECRET = 'test-secret-0123456789abcdef0123456789'
const verify = createVerifier({ key: SECRET })

/**
 * A token of the host. Without `exp` it has no end: tests move the clock by days. A document server 10.0 is told what
 * the token is for.
 */
export function sign (claims: object): string {
  return forgedToken({ iat: Math.floor(Date.now() / 1000), ...purposeOf(claims), ...claims }, { secret: SECRET })
}

function purposeOf (claims: { readonly payload?: unknown, readonly query?: unknown }): { readonly operation?: string } {
  const fields = Object(claims.payload ?? claims.query ?? claims) as object
  if ('c' in fields) return claimOf('command')
  if ('outputtype' in fields || 'outputType' in fields) return claimOf('converter')
  return 'async' in fields || 'argument' in fields ? claimOf('docbuilder') : {}
}

/** Claims of a token of the document server, its signature checked. */
export function claimsOf (token: unknown): Record<string, unknown> {
  return verify(String(token)) as Record<string, unknown>
}

/** Claims of the token in the `Authorization` header. */
export function headerClaims ({ headers }: Received): Record<string, unknown> {
  return claimsOf(headers.authorization?.replace(/^Bearer /, ''))
}

export function fixture (name: string): Buffer {
  return readFileSync(new URL(`../../test/fixtures/documents/${name}`, import.meta.url))
}

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: Record<string, unknown> | null
}

export interface FakeHost {
  readonly origin: string
  /** All requests, in order of arrival. */
  readonly received: Received[]
  /** Statuses of the callbacks, in order of arrival. */
  statuses (): unknown[]
  /** Callbacks, or those with a status, in order of arrival; without their token. */
  callbacks (status?: number): Array<Record<string, unknown>>
  /** The next request that `next` has not given yet; waits for it. */
  next (): Promise<Received>
  /** Answers to callbacks by status; default `{"error":0}` with 200. */
  answers: Record<number, { status?: number, body?: string, headers?: http.OutgoingHttpHeaders }>
  /** Runs before a callback is answered, as a host that fetches what was saved. */
  beforeAnswer: (body: Record<string, unknown>) => Promise<void>
  /** What a GET of a path gives. */
  readonly files: Map<string, Uint8Array>
  /** Answers requests of a path in a way of its own. */
  readonly routes: Map<string, http.RequestListener>
  config (key: string, changes?: ConfigChanges): EditorConfig
}

export interface ConfigChanges {
  readonly name?: string
  readonly user?: { readonly id: string, readonly name: string }
  readonly mode?: string
  readonly callback?: string
  readonly document?: string
}

/** A plain HTTP service in the place of the host: it has documents and takes callbacks. */
export async function startFakeHost (t: Test): Promise<FakeHost> {
  const arrivals = new EventTarget()
  let taken = 0
  const host: FakeHost = {
    origin: '',
    received: [],
    answers: {},
    beforeAnswer: async () => {},
    files: new Map(),
    routes: new Map(),
    statuses: () => host.received.flatMap(({ body }) => body === null ? [] : [body.status]),
    callbacks: status => host.received.flatMap(({ body }) => {
      if (body === null || (status !== undefined && body.status !== status)) return []
      const { token, ...fields } = body
      return [fields]
    }),
    async next () {
      while (host.received.length <= taken) await once(arrivals, 'arrival')
      return host.received[taken++]!
    },
    config (key, { name = 'report.docx', user = { id: 'uid-1', name: 'John Smith' }, mode = 'edit', callback = '/cb?f=1', document = `/files/${name}` } = {}) {
      const config = {
        documentType: 'word',
        document: { key, title: name, fileType: name.split('.').at(-1)!, url: `${host.origin}${document}` },
        editorConfig: { callbackUrl: `${host.origin}${callback}`, mode, user }
      }
      return { ...config, token: sign(config) }
    }
  }
  const server = http.createServer(async (request, response) => {
    const text = (await request.setEncoding('utf8').toArray()).join('')
    const body = text === '' ? null : JSON.parse(text) as Record<string, unknown>
    host.received.push({ method: request.method!, path: request.url!, headers: request.headers, body })
    arrivals.dispatchEvent(new Event('arrival'))
    const path = request.url!.split('?')[0]!
    const route = host.routes.get(path)
    if (route !== undefined) {
      route(request, response)
    } else if (body === null) {
      const file = host.files.get(path)
      response.writeHead(file === undefined ? 404 : 200).end(file ?? 'not found')
    } else {
      await host.beforeAnswer(body)
      const { status = 200, body: answer = '{"error":0}', headers = { 'content-type': 'application/json' } } = host.answers[Number(body.status)] ?? {}
      response.writeHead(status, headers).end(answer)
    }
  })
  const { origin } = await listen(t, server)
  Object.assign(host, { origin })
  for (const name of ['report.docx', 'notes.txt']) host.files.set(`/files/${name}`, fixture(name))
  return host
}

/** No pause takes real time: the clock jumps as soon as nothing is under way. */
export async function startDocumentServer (t: Test, options: Partial<DocumentServerOptions> = {}): Promise<DocumentServer> {
  const clock = fakeClock({ autoAdvance: true })
  const server = await createDocumentServer({ jwtSecret: SECRET, libreOffice: false, clock, ...emulatedOptions(options) })
  t.teardown(() => server.close())
  return server
}

/** A document server, and an application for it. */
export async function startBoth (t: Test, options: Partial<DocumentServerOptions> = {}) {
  return { host: await startFakeHost(t), server: await startDocumentServer(t, options) }
}

/** The same with a clock that the test moves. */
export async function startWithClock (t: Test) {
  const clock = fakeClock()
  return { ...await startBoth(t, { clock }), clock }
}

/** The same with what asks for conversions: of a stored text to PDF, with the changes. */
export async function startConverting (t: Test) {
  const { host, server: { url } } = await startBoth(t)
  const request = { async: false, filetype: 'txt', key: 'C', outputtype: 'pdf', title: 'a.txt', url: `${host.origin}/files/notes.txt` }
  const convert = async (changes: object): Promise<Record<string, unknown>> =>
    await (await postSigned(`${url}/converter`, { ...request, ...changes })).json() as Record<string, unknown>
  return { host, url, request, convert }
}

/** Posts JSON whose fields a body token signs. */
export async function postSigned (url: string, fields: object, headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...fields, token: sign(fields) })
  })
}
