import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import {
  authorization, authorized, checksumOf, createSigner, type Credentials, encodedPart, presignedQuery, queryText, sha256,
  type Signer, timestamp, UNSIGNED_PAYLOAD
} from './signature.js'

export type SmallCommand = GetObjectCommand | PutObjectCommand | DeleteObjectCommand

/** The used part of the answer to a small command, as returned by the client. The body has not been read yet. */
export interface SmallAnswer {
  readonly Body?: unknown
  readonly ContentLength?: number | undefined
  readonly ETag?: string | undefined
  readonly LastModified?: Date | undefined
  /** CRC-32 in base64 of a body that the client has not checked. */
  readonly checksum?: string | undefined
}

/** Returns or throws the result of the first try of a request. */
type FirstTry = () => { readonly response: HttpResponse }

/**
 * `answer`: the request succeeded. `first`: it may not have succeeded, and the client must continue from there.
 * Neither: nothing was sent.
 */
interface Attempt {
  readonly answer?: SmallAnswer & { readonly date: string | undefined }
  readonly first?: FirstTry
}

/**
 * Sends small requests as the client would, without the work of its middleware: they are signed here with the client's
 * credentials and sent by the client's own request handler.
 *
 * Their form is learned from requests that the client prepares once a minute. If this module cannot reproduce them to
 * the last byte of the signature, or if anybody has added middleware, the client sends everything. The client also
 * handles every answer but success, so that its rules for repeats, clocks and redirects apply.
 */
interface DirectRequests {
  attempt (command: SmallCommand, abortSignal: AbortSignal): Promise<Attempt>
  /** A URL that an object can be fetched from. `now`: milliseconds since 1970. */
  urlOf (key: string, seconds: number, now: number): Promise<string>
}

/** A request in the form that request handlers accept. */
interface HttpRequest {
  readonly method: string
  readonly protocol: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

interface HttpResponse {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

interface SmallRequest {
  readonly key: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

/** The form of all requests of one kind. */
interface Pattern {
  readonly request: HttpRequest
  /** The path without the key. */
  readonly folder: string
  readonly query: string
  /** The headers that all requests share. */
  readonly headers: Readonly<Record<string, string>>
  readonly signer: Signer
  readonly isSigned: (name: string) => boolean
}

interface Stamp {
  readonly credentials: Credentials
  readonly time: string
  readonly id: string
}

const PATTERN_MS = 60_000
/** Maximum size of a body. */
const MAX_BYTES = 1024 * 1024
const NO_BYTES = Buffer.alloc(0)
const DATE = 'x-amz-date'
const HASH = 'x-amz-content-sha256'
const CHECKSUM = 'x-amz-checksum-crc32'
const ID = 'amz-sdk-invocation-id'
/** Headers of the fields in a command's input. */
const HEADERS = { ContentType: 'content-type', IfMatch: 'if-match', IfNoneMatch: 'if-none-match' } as const
const OWN_HEADERS = new Set<string>([
  'authorization',
  DATE,
  HASH,
  CHECKSUM,
  ID,
  'x-amz-security-token',
  'content-length',
  ...Object.values(HEADERS)
])

export function createDirectRequests (client: S3Client, Bucket: string): DirectRequests {
  const patterns = new Map<unknown, { readonly pattern: Promise<Pattern | undefined>, readonly at: number }>()

  async function patternFor (Command: unknown): Promise<Pattern | undefined> {
    const known = patterns.get(Command)
    if (known && performance.now() - known.at < PATTERN_MS) return await known.pattern
    const pattern = learn(Command).catch(() => undefined) // the client will fail again and report why
    patterns.set(Command, { pattern, at: performance.now() })
    return await pattern
  }

  /** Learns the pattern from one request and verifies it by reproducing another. */
  async function learn (Command: unknown): Promise<Pattern | undefined> {
    if (!isPlain(client)) return undefined
    const [first, second] = ['example/1', 'another example/2'].map(Key =>
      Command === PutObjectCommand
        ? new PutObjectCommand({
          Bucket,
          Key,
          Body: Buffer.from(Key),
          ContentType: `text/${Key.length}`,
          IfMatch: Key,
          IfNoneMatch: '*'
        })
        : Command === GetObjectCommand
          ? new GetObjectCommand({ Bucket, Key })
          : new DeleteObjectCommand({ Bucket, Key })
    ) as [SmallCommand, SmallCommand]
    const pattern = patternOf(await prepared(client, first), requestOf(first)!.key)
    const expected = await prepared(client, second)
    const { [DATE]: time = '', [ID]: id = '' } = expected.headers
    const made = pattern &&
      signed(pattern, requestOf(second)!, { credentials: await client.config.credentials(), time, id })
    return isDeepStrictEqual({ ...made }, { ...expected }) ? pattern : undefined
  }

  return {
    async attempt (command, abortSignal) {
      const request = requestOf(command)
      const pattern = request && await patternFor(command.constructor)
      if (!pattern) return {}
      const { config } = client
      const strategy = await config.retryStrategy()
      if (!('acquireInitialRetryToken' in strategy)) return {}
      const [token, credentials] = await Promise.all([strategy.acquireInitialRetryToken(''), config.credentials()])
      abortSignal.throwIfAborted()
      const made = signed(pattern, request, {
        credentials,
        time: timestamp(Date.now() + config.systemClockOffset),
        id: randomUUID()
      })
      let response: HttpResponse
      try {
        response = (await config.requestHandler.handle(made as never, { abortSignal })).response as HttpResponse
      } catch (error) {
        abortSignal.throwIfAborted()
        return { first: () => { throw error } }
      }
      if (!isUsual(response)) return { first: () => ({ response }) }
      strategy.recordSuccess(token)
      return { answer: answerOf(command, response) }
    },

    async urlOf (key, seconds, now) {
      const pattern = await patternFor(GetObjectCommand)
      if (!pattern) return await presigned(client, new GetObjectCommand({ Bucket, Key: key }), { seconds, now })
      const { request: { protocol, query }, headers, signer } = pattern
      const [host, path] = [headers.host ?? '', pattern.folder + encodedKey(key)]
      return `${protocol}//${host}${path}?${presignedQuery(signer, { host, path, query }, await client.config.credentials(), timestamp(now), seconds)}`
    }
  }
}

/** Makes the client continue with a command after its first try. */
export function goingOn<Command extends SmallCommand> (command: Command, first: FirstTry): Command {
  let isTried = false
  const middleware = (next: (args: unknown) => Promise<unknown>) => async (args: unknown) => {
    if (isTried) return await next(args)
    isTried = true
    return first()
  }
  stackOf(command).add(middleware, { step: 'deserialize', priority: 'low', name: 'firstTry' })
  return command
}

let plain: S3Client | undefined

/** Whether nothing observes or changes requests on their way through the client. */
function isPlain (client: S3Client): boolean {
  plain ??= new S3Client({ region: 'us-east-1' })
  return client.send === plain.send && !('__wrapped' in client.send) && // which instrumentation adds
    client.config.logger.constructor === plain.config.logger.constructor &&
    isDeepStrictEqual(client.middlewareStack.identify(), plain.middlewareStack.identify())
}

/** The request that the client would send. */
async function prepared (client: S3Client, command: SmallCommand): Promise<HttpRequest> {
  let request: unknown
  const middleware = () => async (args: { readonly request: unknown }) => {
    request = args.request
    return { response: {}, output: { $metadata: {} } }
  }
  stackOf(command).add(middleware, { step: 'deserialize', priority: 'high', name: 'prepared' })
  await client.send(command as GetObjectCommand)
  return request as HttpRequest
}

/** Returns `undefined` for a request that is not small or uses other input. */
function requestOf (command: SmallCommand): SmallRequest | undefined {
  const { Bucket, Key = '', Body, ...others } = command.input as {
    readonly Bucket: unknown,
    readonly Body?: unknown,
    readonly Key?: string
  } & Record<string, unknown>
  const names = Object.keys(others).filter(name => others[name] !== undefined) as Array<keyof typeof HEADERS>
  if (!names.every(name => name in HEADERS)) return undefined
  if (
    command instanceof PutObjectCommand &&
    !(Buffer.isBuffer(Body) && Body.length > 0 && Body.length < MAX_BYTES && 'ContentType' in others)
  ) return undefined
  return {
    key: Key,
    headers: Object.fromEntries(names.map(name => [HEADERS[name], String(others[name])])),
    body: Body as Buffer | undefined
  }
}

function patternOf (request: HttpRequest, key: string): Pattern | undefined {
  const { path, query, headers } = request
  const authorization = authorized(headers.authorization)
  const end = encodedKey(key)
  return authorization && path.endsWith(`/${end}`)
    ? {
        request,
        folder: path.slice(0, -end.length),
        query: queryText(query),
        headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name))),
        signer: createSigner(authorization.region, authorization.service),
        isSigned: name => authorization.signed.has(name) || !(name in headers)
      }
    : undefined
}

function signed (
  { request, folder, query, headers: common, signer, isSigned }: Pattern,
  { key, headers: own, body }: SmallRequest,
  { credentials, time, id }: Stamp
): HttpRequest {
  const { method, headers: { [HASH]: hash, [CHECKSUM]: checksum } } = request
  const payloadHash = hash === UNSIGNED_PAYLOAD ? hash : sha256(body ?? NO_BYTES)
  const headers: Record<string, string> = { ...common, ...own, [DATE]: time, [HASH]: payloadHash, [ID]: id }
  if (credentials.sessionToken !== undefined) headers['x-amz-security-token'] = credentials.sessionToken
  if (body) headers['content-length'] = String(body.length)
  if (body && checksum !== undefined) headers[CHECKSUM] = checksumOf(body)
  const path = folder + encodedKey(key)
  headers.authorization = authorization(
    signer.sign({ method, path, query, headers, payloadHash }, credentials, time, isSigned)
  )
  return Object.assign(Object.create(Object.getPrototypeOf(request)), request, { path, headers, body })
}

/**
 * Whether an answer needs no handling by the client, which for instance checks checksums that are not computed here.
 */
function isUsual ({ statusCode, headers, body }: HttpResponse): boolean {
  return (statusCode === 200 || statusCode === 204) && body instanceof Readable &&
    Object.keys(headers).every(name =>
      !name.startsWith('x-amz-checksum-') || name === 'x-amz-checksum-type' ||
      (name === CHECKSUM && !headers[name]!.includes('-'))
    )
}

function answerOf (command: SmallCommand, { headers, body }: HttpResponse): NonNullable<Attempt['answer']> {
  const { date, etag: ETag } = headers
  if (!(command instanceof GetObjectCommand)) {
    body.on('error', () => {}).resume() // it is empty
    return { date, ETag }
  }
  const { 'content-length': length, 'last-modified': modified } = headers
  return {
    date,
    ETag,
    Body: body,
    ContentLength: length === undefined ? undefined : Number(length),
    LastModified: modified === undefined ? undefined : new Date(modified),
    checksum: headers[CHECKSUM]
  }
}

/** Uses the client's own signer, which may be of any kind. */
async function presigned (
  client: S3Client,
  command: GetObjectCommand,
  { seconds, now }: { readonly seconds: number, readonly now: number }
): Promise<string> {
  interface Context {
    readonly endpointV2?: { readonly properties?: { readonly authSchemes?: readonly unknown[] } }
    readonly s3ExpressIdentity?: unknown
  }
  let url = ''
  const middleware =
    (_next: unknown, { endpointV2, s3ExpressIdentity }: Context) =>
      async ({ request }: { readonly request: HttpRequest }) => {
        const scheme = endpointV2?.properties?.authSchemes?.[0] as {
          readonly signingRegion?: string,
          readonly signingRegionSet?: readonly string[],
          readonly signingName?: string
        } | undefined
        const signer = await client.config.signer(scheme as never) as unknown as Record<
        'presign' | 'presignWithCredentials',
        (...args: unknown[]) => Promise<HttpRequest>
      >
        const { host = '', ...headers } = request.headers
        const unsigned = { ...request, headers: { ...headersOf(headers), host, [HASH]: UNSIGNED_PAYLOAD } }
        const options = {
          expiresIn: seconds,
          signingDate: new Date(now),
          signingRegion: scheme?.signingRegionSet?.join(',') ?? scheme?.signingRegion,
          signingService: scheme?.signingName
        }
        const { protocol, path, query } = s3ExpressIdentity
          ? await signer.presignWithCredentials(unsigned, s3ExpressIdentity, options)
          : await signer.presign(unsigned, options)
        url = `${protocol}//${host}${path}?${queryText(query)}`
        return { response: {}, output: { $metadata: {} } }
      }
  stackOf(command).addRelativeTo(middleware, {
    name: 'presigned',
    relation: 'before',
    toMiddleware: 'awsAuthMiddleware'
  })
  await client.send(command)
  return url
}

/** The headers that can apply to a URL. */
function headersOf (headers: HttpRequest['headers']): HttpRequest['headers'] {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) =>
      !name.startsWith('amz-sdk-') && !['user-agent', 'x-amz-user-agent'].includes(name)
    )
  )
}

/** The stack has the same type for all kinds of commands. */
function stackOf (command: SmallCommand) {
  return command.middlewareStack as {
    readonly add: (...args: unknown[]) => void,
    readonly addRelativeTo: (...args: unknown[]) => void
  }
}

function encodedKey (key: string): string {
  return key.split('/').map(encodedPart).join('/')
}
