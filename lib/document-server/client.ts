import type { Readable } from 'node:stream'
import type { EditorHttpPurpose } from '../../types/http.js'
import { UpstreamError } from '../errors.js'
import type { Settings } from '../options.js'
import { type Outbound, type OutboundRequest, type OutboundResponse, statusError } from '../outbound/outbound.js'
import { repeated } from '../util/limits.js'
import { bytesOf, discard } from '../util/streams.js'
import { isHtml } from '../util/text.js'
import type { TokenSigner } from './token.js'

export interface FormFile {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

export interface PostOptions extends Pick<OutboundRequest, 'signal' | 'total' | 'limit'> {
  /** Routes the request to the server of a cluster that has the document. */
  readonly shardKey?: string
  /** Whether the request may be repeated when a gateway answers, or the connection is lost. */
  readonly isRepeatable?: boolean
}

const TOO_MANY_REQUESTS = 429
const LOST_CONNECTION: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

const MAX_RESPONSE_BYTES = 1024 * 1024

/**
 * Web servers limit the headers of a request. A longer token, for example with an image in a watermark, is sent only in
 * the body, which is enough.
 */
const MAX_HEADER_TOKEN = 7168

/** The HTTP interface of the document server. Rejects like `Outbound`. */
export type DocumentServerClient = ReturnType<typeof createDocumentServerClient>

export function createDocumentServerClient (
  outbound: Outbound,
  tokens: TokenSigner,
  { documentServer: { publicUrl, operationClaim }, saveRetries, timeouts }: Settings,
  closing: AbortSignal
) {
  return { post, postForm, bodyOf, get }

  /**
   * Posts a request to a service as JSON. It is signed in its body and, unless the token is too long, in its header:
   * which one is verified depends on the document server's configuration. Resolves to the text of the answer. Rejects
   * with `UpstreamError` for a status other than 200.
   * Source: emulator/docs/document-server-protocol.md#asking-and-being-answered
   */
  async function post (
    service: Service,
    request: object,
    { shardKey, ...options }: PostOptions = {}
  ): Promise<string> {
    const answer = await patiently(options, async options =>
      await send(service === 'command' ? 'command' : 'conversion', urlOf(SERVICE_PATHS[service], shardKey), {
        ...options,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headersOf(service, request) },
        body: bodyOf(service, request)
      })
    )
    return textOf(answer, NAMES[service])
  }

  /**
   * Posts a request as a form, signed in the same way, with a file unless the request is about an earlier one. Resolves
   * for any status. Source: emulator/docs/document-server-protocol.md#files-in-requests
   */
  async function postForm (
    service: FromFileService,
    request: object,
    file: FormFile | undefined,
    { shardKey, ...options }: PostOptions = {}
  ): Promise<OutboundResponse> {
    const form = new FormData()
    form.set('params', JSON.stringify(request))
    form.set('token', tokens.sign({ ...request, operation: service })) // these endpoints demand the claim
    if (file) form.set('file', new Blob([file.bytes]), file.name)
    const encoded = new Response(form)
    const body = new Uint8Array(await encoded.arrayBuffer())
    return await patiently(options, async options =>
      await outbound('conversion', urlOf(`/${service}/from-file`, shardKey), {
        ...options,
        method: 'POST',
        headers: {
          ...headersOf(service, request, { operation: service }),
          'content-type': encoded.headers.get('content-type')!
        },
        body
      })
    )
  }

  /** Makes a request. If it may be repeated and a gateway answers, repeats it, as often as fetching a saved file. */
  async function patiently<Response extends GatewayResponse> (
    { isRepeatable = false, total = timeouts.total, signal, ...options }: PostOptions,
    request: (options: Omit<OutboundRequest, 'method'>) => Promise<Response>
  ): Promise<Response> {
    if (!isRepeatable) return await request({ ...options, total, signal })
    return await repeated(async timeLeft => await request({ ...options, total: timeLeft, signal }), {
      retries: saveRetries,
      total,
      signal: signal ? AbortSignal.any([signal, closing]) : closing,
      isTransient: isInterrupted
    })
  }

  /** The JSON of such a request, signed with the first secret unless another `signer` is given. */
  function bodyOf (service: Service, request: object, signer = tokens): string {
    return JSON.stringify({ ...request, token: signer.sign({ ...request, ...purposeOf(service) }) })
  }

  /** Reads a small resource at a path below the document server's URL, unsigned. Rejects as `post` does. */
  async function get (path: string, options: PostOptions = {}): Promise<string> {
    return textOf(await send('command', urlOf(path), options), `path ${path}`)
  }

  function headersOf (service: Service, request: object, purpose = purposeOf(service)): Record<string, string> {
    const token = tokens.sign({ payload: request, ...purpose })
    return { accept: 'application/json', ...(token.length < MAX_HEADER_TOKEN && { authorization: `Bearer ${token}` }) }
  }

  /**
   * The claim that names the purpose of a token, added to the fields of a request, which have no `operation`
   * themselves.
   */
  function purposeOf (operation: Service): object {
    return operationClaim ? { operation } : {}
  }

  function urlOf (path: string, shardKey?: string): URL {
    const url = serviceUrl(publicUrl, path)
    if (shardKey !== undefined) url.searchParams.set('shardkey', shardKey)
    return url
  }

  async function send (purpose: EditorHttpPurpose, url: URL, request: OutboundRequest): Promise<SmallResponse> {
    const { status, body } = await outbound(purpose, url, { limit: MAX_RESPONSE_BYTES, ...request })
    if (status === 200) return { status, text: (await bytesOf(body)).toString('utf8') }
    discard(body)
    return { status, text: '' }
  }
}

interface SmallResponse {
  readonly status: number
  /** `''` for a status other than 200. */
  readonly text: string
}

function textOf ({ status, text }: SmallResponse, name: string): string {
  if (status === 200) return text
  throw statusError(status, `the ${name} answered status ${status}`)
}

const NAMES: Readonly<Record<Service, string>> = {
  command: 'command service',
  converter: 'conversion service',
  docbuilder: 'document builder'
}

/** Whether a proxy reports that it cannot reach the server behind it. */
export function isFromGateway ({ status }: { readonly status: number }): boolean {
  return status === 502 || status === 503 || status === 504
}

type GatewayResponse = { readonly status: number, readonly text?: string, readonly body?: Readable }

/** Whether something between us and the document server has answered, or has closed the connection. */
async function isInterrupted (response: Promise<GatewayResponse>): Promise<boolean> {
  try {
    const answer = await response
    const isInterrupted = isFromGateway(answer) || answer.status === TOO_MANY_REQUESTS || isHtml(answer.text ?? '')
    if (isInterrupted && answer.body) discard(answer.body)
    return isInterrupted
  } catch (error) {
    return error instanceof UpstreamError && LOST_CONNECTION.has((error.cause as { readonly code?: unknown })?.code)
  }
}

/**
 * The services that the document server has for applications. Each name is also the claim `operation` of the tokens for
 * it. Source: emulator/docs/document-server-protocol.md#purposes-of-tokens
 */
export type Service = 'command' | 'converter' | 'docbuilder'

/** The services that take a file in the request, from version 10.0 on. */
export type FromFileService = Exclude<Service, 'command'>

/** The paths of the services. Commands and conversions use the older path, which every version serves. */
export const SERVICE_PATHS: Readonly<Record<Service, string>> = {
  command: '/coauthoring/CommandService.ashx',
  converter: '/ConvertService.ashx',
  docbuilder: '/docbuilder'
}

/**
 * The URL of a service at the public origin, below the virtual path if there is one. `publicUrl` is the document
 * server's.
 */
export function serviceUrl (publicUrl: Readonly<URL>, path: string): URL {
  const url = new URL(publicUrl)
  url.pathname = `${publicUrl.pathname.replace(/\/$/, '')}${path}`
  return url
}
