import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { createSigner, createVerifier } from 'fast-jwt'
import type { Test } from 'tap'
import { listen } from '../../../test/kit/http.js'

/** What a host can do wrong, one at a time, and the scenario that finds it. */
export const MISTAKES = {
  'serves everybody': 'download-unsigned',
  'serves any signed URL': 'download-of-another-url',
  'acknowledges before it stores': 'save',
  'ignores the timer': 'force-save-timer',
  'stores a submitted form': 'force-save-form',
  'has a new key after a force save': 'force-save-keeps-key',
  'acknowledges a failed save': 'save-failed',
  'stores a corrupted force save': 'force-save-corrupted',
  'refuses a repeated save': 'repeated-save',
  'stores a late force save': 'late-force-save',
  'checks the key before the download': 'slow-force-save',
  'accepts callbacks without a token': 'token-missing',
  'accepts any secret': 'token-wrong-secret',
  'accepts expired tokens': 'token-expired',
  'uses plain fields': 'token-of-other-fields',
  'does not compare the key': 'token-of-another-key',
  'refuses unknown claims': 'token-with-unknown-claims',
  'stores half a file': 'result-cut-off',
  'stores an error page': 'result-missing',
  'fetches from anywhere': 'result-other-origin',
  'redirects to a login page': 'answer-is-no-redirect',
  'has a small limit': 'callback-with-long-history'
} as const

export type Mistake = keyof typeof MISTAKES

interface Stored {
  bytes: Buffer
  revision: number
  forced: number
  /** Of the force save that was stored last. */
  lastsave: number
  /** Paths of what was stored. */
  readonly paths: string[]
  queue: Promise<unknown>
}

interface Callback {
  readonly key?: unknown
  readonly status?: unknown
  readonly url?: unknown
  readonly filetype?: unknown
  readonly lastsave?: unknown
  readonly forcesavetype?: unknown
}

/** A host of a hundred lines that keeps documents in memory, and makes at most one mistake. */
export async function startNaiveHost (
  t: Test,
  { secret, documentServer, mistake, content = Buffer.from('first draft\n'), fileType = 'txt' }: { secret: string, documentServer: string, mistake?: Mistake | 'never answers', content?: Buffer, fileType?: string }
): Promise<string> {
  const sign = createSigner({ key: secret, expiresIn: 300_000 })
  const verify = createVerifier({ key: secret, algorithms: ['HS256'], clockTolerance: 60_000 })
  const verifyOld = createVerifier({ key: secret, algorithms: ['HS256'], ignoreExpiration: true })
  const documents = new Map<string, Stored>()
  /** What is stored only when somebody has looked whether it is. */
  const later: Array<() => void> = []

  function claimsOf (token: unknown, isOfCallback = false): Record<string, any> | undefined {
    try {
      return isOfCallback && mistake === 'accepts expired tokens' ? verifyOld(String(token)) : verify(String(token))
    } catch (error) {
      if (!isOfCallback || mistake !== 'accepts any secret' || (error as { code?: string }).code !== 'FAST_JWT_INVALID_SIGNATURE') return undefined
      return JSON.parse(String(Buffer.from(String(token).split('.')[1]!, 'base64url')))
    }
  }

  function documentOf (name: string): Stored {
    const stored = documents.get(name) ?? { bytes: content, revision: 1, forced: 0, lastsave: 0, paths: [], queue: Promise.resolve() }
    documents.set(name, stored)
    return stored
  }

  function configOf (name: string): object {
    const { revision, forced } = documentOf(name)
    const config = {
      document: { key: `${name}-${revision}${mistake === 'has a new key after a force save' ? `-${forced}` : ''}`, title: `${name}.${fileType}`, fileType, url: `${origin}/download/${name}` },
      editorConfig: { callbackUrl: `${origin}/callback/${name}`, mode: 'edit', user: { id: 'ada', name: 'Ada' } }
    }
    return { ...config, token: sign(config) }
  }

  async function fetched (url: unknown): Promise<Buffer> {
    if (mistake !== 'fetches from anywhere' && new URL(String(url)).origin !== documentServer) throw new Error('foreign')
    const response = await fetch(String(url), { redirect: 'error' })
    if (!response.ok && (mistake !== 'stores an error page' || response.status >= 500)) throw new Error('not found')
    const parts: Uint8Array[] = []
    try {
      for await (const part of response.body!) parts.push(part)
    } catch (error) {
      if (mistake !== 'stores half a file') throw error
    }
    return Buffer.concat(parts)
  }

  async function save (stored: Stored, { key, status, url, filetype, lastsave, forcesavetype }: Callback): Promise<void> {
    const corrupted = mistake === 'stores a corrupted force save' && status === 7 && url !== undefined
    if (status !== 2 && status !== 6 && !corrupted) return
    if (mistake === 'ignores the timer' && forcesavetype === 2) return
    if (forcesavetype === 3 && mistake !== 'stores a submitted form') return
    const path = new URL(String(url)).pathname
    if (filetype !== fileType) throw new Error('another format')
    const opened = Number(/-(\d+)(-\d+)?$/.exec(String(key))?.[1])
    const isTooEarly = mistake === 'checks the key before the download'
    if (isTooEarly && opened !== stored.revision && !stored.paths.includes(path)) throw new Error('the key is used')
    const bytes = await fetched(url)
    if (stored.paths.includes(path)) {
      if (mistake === 'refuses a repeated save') throw new Error('repeated')
      return
    }
    if (opened !== stored.revision && !isTooEarly) {
      if (mistake === 'stores a late force save' && status === 6) stored.bytes = bytes
      throw new Error('the key is used')
    }
    const at = Date.parse(String(lastsave))
    if (status === 6 && at < stored.lastsave) throw new Error('older')
    if (fileType !== 'txt' && bytes.subarray(0, 2).toString() !== 'PK') throw new Error('no document')
    stored.bytes = bytes
    stored.paths.push(path)
    if (status === 2) stored.revision++
    else stored.forced++
    stored.lastsave = status === 2 ? 0 : at
  }

  function callbackOf (request: IncomingMessage, body: Record<string, unknown>): Callback | undefined {
    const header = request.headers.authorization?.slice('Bearer '.length)
    if (mistake === 'accepts callbacks without a token' && header === undefined && body.token === undefined) return body
    const claims = body.token === undefined ? claimsOf(header, true)?.payload : claimsOf(body.token, true)
    if (claims === undefined) return undefined
    if (mistake === 'uses plain fields' && claims.key !== undefined) return body
    if (mistake === 'refuses unknown claims' && Object.hasOwn(claims, 'operation')) return undefined
    return claims
  }

  async function answer (request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const [, route, name = ''] = request.url!.split('/')
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(JSON.stringify(value))
    if (request.method === 'GET') {
      if (route === 'config') return json(200, configOf(name))
      const signed = claimsOf(request.headers.authorization?.slice('Bearer '.length))?.payload?.url
      const isAllowed = route === 'content' || mistake === 'serves everybody' || signed === `${origin}/download/${name}` ||
        (mistake === 'serves any signed URL' && signed !== undefined)
      if (!isAllowed || route === 'callback') return response.writeHead(404).end()
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(documentOf(name).bytes)
      for (const store of later.splice(0)) store()
      return
    }
    if (mistake === 'never answers') return
    const body = await buffer(request)
    if (body.length > (mistake === 'has a small limit' ? 100_000 : 5_000_000)) return json(413, { error: 1 })
    const callback = callbackOf(request, Object(JSON.parse(String(body))))
    const isOwn = String(callback?.key).startsWith(`${name}-`) || mistake === 'does not compare the key'
    if (callback?.key === undefined || !isOwn) {
      if (mistake === 'redirects to a login page') return response.writeHead(302, { location: '/login' }).end()
      return json(403, { error: 1 })
    }
    const stored = documentOf(name)
    if (mistake === 'acknowledges before it stores') await stored.queue.then(() => { stored.queue = new Promise<void>(resolve => { later.push(resolve) }) })
    const saved = mistake === 'checks the key before the download' ? save(stored, callback) : stored.queue.then(async () => await save(stored, callback))
    stored.queue = saved.catch(() => {})
    if (mistake !== 'acknowledges before it stores') await saved
    return json(200, { error: callback.status === 3 && mistake !== 'acknowledges a failed save' ? 1 : 0 })
  }

  const server = http.createServer((request, response) => {
    answer(request, response).catch(error => {
      response.writeHead(error instanceof SyntaxError ? 400 : 503, { 'content-type': 'application/json' }).end('{"error":1}')
    })
  })
  const { origin } = await listen(t, server)
  return origin
}
