import type { OutboundResponse } from '../outbound/outbound.js'
import { discard } from '../util/streams.js'
import type { DocumentServerClient, FormFile, FromFileService, PostOptions } from './client.js'
import type { Commands } from './commands.js'

/** Lets the document server download files from this instance of the application. */
export interface FileOffers {
  /** Serves a file at a URL that cannot be guessed, until it is withdrawn. */
  offer (bytes: Uint8Array): { readonly url: string, withdraw (): void }
}

/** The first version with these endpoints. Source: docs/document-server-protocol.md#files-in-requests */
const FIRST_MAJOR_VERSION = 10

export function hasFromFile (version: string): boolean {
  return Number.parseInt(version) >= FIRST_MAJOR_VERSION
}

/** These statuses say nothing about the next request: this one was too large for a proxy, or one of too many. */
const ABSENT_THIS_TIME: ReadonlySet<number> = new Set([413, 429])

const REMEMBERED_MS = 10 * 60_000
/** Used after an unusable answer: the document server may be starting. */
const REMEMBERED_FAILURE_MS = 60_000

/**
 * Whether the document server's service has answered, or is out of order. Any other answer comes from a server without
 * these endpoints, a proxy or a firewall: then the file can still be downloaded.
 */
export function isFromService ({ status, header }: Pick<OutboundResponse, 'status' | 'header'>): boolean {
  if (status === 200) return !/^text\/html\b/i.test(header('content-type') ?? '')
  return status >= 500 && status !== 501
}

/** The endpoints of the document server that take a file in the request, instead of downloading it. */
export type PostFile = ReturnType<typeof createPostFile>

export function createPostFile (client: DocumentServerClient, commands: Commands) {
  let isNewEnough: Promise<boolean> | undefined
  let until = -Infinity
  const absentUntil = new Map<FromFileService, number>()

  /**
   * Posts a request with its file. Resolves to `undefined` if the document server has no such endpoint: it is older
   * than 10.0, the service is switched off, or a proxy does not pass it on. Rejects as `DocumentServerClient.postForm`
   * does.
   */
  return async function postFile (
    service: FromFileService, request: object, file: FormFile, options: PostOptions
  ): Promise<OutboundResponse | undefined> {
    if (performance.now() < (absentUntil.get(service) ?? -Infinity) || !await supported()) return undefined
    const response = await client.postForm(service, request, file, options)
    if (isFromService(response)) return response
    discard(response.body)
    if (!ABSENT_THIS_TIME.has(response.status)) absentUntil.set(service, performance.now() + REMEMBERED_MS)
    return undefined
  }

  async function supported (): Promise<boolean> {
    if (isNewEnough === undefined || performance.now() >= until) {
      until = performance.now() + REMEMBERED_MS
      isNewEnough = commands.send({ c: 'version' }).then(({ version }) => hasFromFile(version)).catch(() => {
        until = performance.now() + REMEMBERED_FAILURE_MS
        return false
      })
    }
    return await isNewEnough
  }
}
