import type { Settings } from '../options.js'
import type { HandlerUrls } from '../security/handler-urls.js'
import { isJsonObject, parseJson } from '../json.js'
import type { ConnectionFault } from './connection-fault.js'
import type { DirectRequester, DirectResponse } from './direct-request.js'
import { probeDocument } from './probe-document.js'
import { ENDED_BY_HOOK, ENDED_BY_HOOK_HEADER, type ProbeAnswer } from './probes.js'

/** The application's answer to a request that does not go through the network. */
export type Inject = (request: { readonly method: 'GET' | 'POST', readonly url: string, readonly headers: Readonly<Record<string, string>>, readonly body?: string }) => Promise<DirectResponse>

/** How a request for the probe was answered. */
export type Reception =
  /** By the handler. `answer`: of a callback. */
  | { readonly kind: 'ours', readonly answer?: ProbeAnswer }
  /** By a hook of the application that serves the handler. */
  | { readonly kind: 'hook', readonly response: DirectResponse }
  /** By the handler, but something has changed its answer. */
  | { readonly kind: 'changed', readonly response: DirectResponse }
  /** By the handler, which did not recognize the probe. */
  | { readonly kind: 'unrecognized', readonly response: DirectResponse }
  /** By something else. */
  | { readonly kind: 'foreign', readonly response: DirectResponse }
  | { readonly kind: 'failure', readonly failure: ConnectionFault }

/** What came of requests like those of the document server, sent by this application to itself. */
export interface OwnRequests {
  readonly url: URL
  readonly download: Reception
  /** With a body of `size` bytes. */
  readonly callback: Reception
  readonly size: number
  /** With a small body, if the large one failed. */
  readonly smallCallback?: Reception
  /** Past the network: finds hooks of the application behind something that answers in its place. Absent if all is well, or nothing listens here. */
  readonly inside?: { readonly download: Reception, readonly callback: Reception }
}

interface Dependencies {
  readonly settings: Pick<Settings, 'bodyLimit' | 'publicBaseUrl'>
  readonly urls: Pick<HandlerUrls, 'probe' | 'isProbeAnswer'>
  /** The handler's path within this application. */
  readonly handlerPath: string
  readonly direct: DirectRequester
  /** Absent if this process does not listen: then another one serves publicBaseUrl. */
  readonly inject: Inject | undefined
}

/** As large as a callback with a long history. */
const LARGE_BODY_BYTES = 1.5 * 1024 ** 2
const SMALL_BODY = '{"status":0}'
const JSON_TYPE = { 'content-type': 'application/json' }

export function createOwnRequests ({ settings, urls, handlerPath, direct, inject }: Dependencies) {
  return { examine, askSightings }

  async function examine (id: string, signal: AbortSignal): Promise<OwnRequests> {
    const [downloadUrl, callbackUrl] = [new URL(urls.probe('download', id)), new URL(urls.probe('callback', id))]
    const body = largeBody()
    const [download, callback] = await Promise.all([
      direct('probe', downloadUrl, { signal }).then(outcome => received(id, outcome)),
      post(id, callbackUrl, body, signal)
    ])
    const requests = { url: new URL(downloadUrl.origin + downloadUrl.pathname), download, callback, size: body.length }
    if (download.kind === 'ours' && callback.kind === 'ours') return requests
    const smallCallback = await post(id, callbackUrl, SMALL_BODY, signal)
    return { ...requests, smallCallback, ...(inject && { inside: await askInside(inject, id, [downloadUrl, callbackUrl]) }) }
  }

  /** What the instance that answers at publicBaseUrl has seen of the probe. */
  async function askSightings (id: string, signal: AbortSignal): Promise<ProbeAnswer | undefined> {
    const reception = await post(id, new URL(urls.probe('callback', id)), SMALL_BODY, signal)
    return reception.kind === 'ours' ? reception.answer : undefined
  }

  async function post (id: string, url: URL, body: string, signal: AbortSignal): Promise<Reception> {
    return received(id, await direct('probe', url, { method: 'POST', headers: JSON_TYPE, body, signal }))
  }

  async function askInside (inject: Inject, id: string, [download, callback]: readonly [URL, URL]): Promise<NonNullable<OwnRequests['inside']>> {
    const headers = { host: download.host, 'x-forwarded-proto': download.protocol.slice(0, -1) }
    const ask = async (url: URL, request: object) => received(id, { response: await inject({ method: 'GET', url: handlerPath + url.search, headers, ...request }) })
    return {
      download: await ask(download, {}),
      callback: await ask(callback, { method: 'POST', headers: { ...headers, ...JSON_TYPE }, body: SMALL_BODY })
    }
  }

  function received (id: string, outcome: { readonly response: DirectResponse } | { readonly failure: ConnectionFault }): Reception {
    if ('failure' in outcome) return { kind: 'failure', failure: outcome.failure }
    const { response } = outcome
    if (urls.isProbeAnswer(id, ENDED_BY_HOOK, response.header(ENDED_BY_HOOK_HEADER) ?? '')) return { kind: 'hook', response }
    if (response.status === 200) {
      if (response.text === probeDocument(id).toString('utf8')) return { kind: 'ours' }
      const answer = provenAnswer(id, response.text)
      if (answer) return { kind: 'ours', answer }
      if (response.text === '{"error":1}') return { kind: 'unrecognized', response }
      if (hasContentOfAnswer(response.text)) return { kind: 'changed', response }
    }
    return { kind: isRefusalOfHandler(response) ? 'unrecognized' : 'foreign', response }
  }

  function provenAnswer (id: string, text: string): ProbeAnswer | undefined {
    const { probe, signature } = Object(parseJson(text)) as Record<string, unknown>
    if (typeof probe !== 'string' || typeof signature !== 'string' || !urls.isProbeAnswer(id, probe, signature)) return undefined
    const answer = parseJson(probe)
    return isJsonObject(answer) ? answer as unknown as ProbeAnswer : undefined
  }

  /** Leaves room below `bodyLimit`. */
  function largeBody (): string {
    return JSON.stringify({ status: 0, filler: 'x'.repeat(Math.max(0, Math.min(LARGE_BODY_BYTES, settings.bodyLimit) - 100)) })
  }
}

/** Whether a text has fields of a `ProbeAnswer`, or the name of a part of the probe's document. */
function hasContentOfAnswer (text: string): boolean {
  const instanceAt = text.search(/\binstance\b/)
  return text.includes('word/document.xml') || (instanceAt >= 0 && /\bsightings\b/.test(text.slice(instanceAt)))
}

/** The handler answers its errors with these headers and texts. */
function isRefusalOfHandler ({ status, header, text }: DirectResponse): boolean {
  return (header('content-security-policy') ?? '').startsWith('sandbox') &&
    ((status === 400 && text.startsWith('Unknown action')) || (status === 401 && text === 'Not authorized') || (status === 403 && text === 'Forbidden') || (status === 404 && /fileId/.test(text)))
}
