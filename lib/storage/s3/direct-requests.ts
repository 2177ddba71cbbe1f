import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import { crc32 } from 'node:zlib'
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { checksumText } from './bodies.js'
import type { createStoreTime } from './store-time.js'

/** A command of the client whose output has this type. */
export interface Command<Output> {
  readonly input: object
  readonly middlewareStack: unknown
  resolveMiddleware(...args: never[]): (...args: never[]) => Promise<{ readonly output: Output }>
}

type SmallCommand = InstanceType<typeof SMALL_COMMANDS[number]>

/** A request in the form that request handlers accept, as far as it is used here. */
interface HttpRequest {
  readonly protocol: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

interface HttpResponse {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

type SmallRequest = NonNullable<ReturnType<typeof requestOf>>
type Pattern = NonNullable<ReturnType<typeof patternOf>>
type Prepared = Awaited<ReturnType<typeof prepared>>
type Signing = Record<'sign' | 'presign' | 'presignWithCredentials', (...args: unknown[]) => Promise<HttpRequest>>
type Middleware = (
  next: (args: unknown) => Promise<{ readonly response: Partial<HttpResponse> }>,
  context: Context
) => (args: { readonly request: unknown }) => Promise<unknown>

interface Context {
  readonly endpointV2?: { readonly properties?: { readonly authSchemes?: readonly AuthScheme[] } }
  readonly s3ExpressIdentity?: unknown
}

interface AuthScheme {
  readonly signingRegion?: string
  readonly signingRegionSet?: readonly string[]
  readonly signingName?: string
}

const SMALL_COMMANDS = [GetObjectCommand, PutObjectCommand, DeleteObjectCommand] as const
const PATTERN_MS = 60_000
/** Maximum size of a body. */
const MAX_BYTES = 1024 * 1024
const CHECKSUM = 'x-amz-checksum-crc32'
const ID = 'amz-sdk-invocation-id'
/** Headers of the fields in a command's input. */
const HEADERS = { ContentType: 'content-type', IfMatch: 'if-match', IfNoneMatch: 'if-none-match' } as const
const OWN_HEADERS = new Set<string>([CHECKSUM, ID, 'content-length', ...Object.values(HEADERS)])

/**
 * Sends small requests as the client would, without the work of its middleware: the client's own signer signs them, and
 * its request handler sends them.
 *
 * Their form is learned from requests that the client prepares once a minute. If this module cannot reproduce them to
 * the last byte of the signature, or if anybody has added middleware, the client sends everything. The client also
 * handles every answer but success, so that its rules for repeats, clocks and redirects apply.
 */
export function createDirectRequests (client: S3Client, Bucket: string, time: ReturnType<typeof createStoreTime>) {
  const patterns = new Map<unknown, { readonly pattern: Promise<Pattern | undefined>, readonly at: number }>()

  async function patternFor (kind: unknown): Promise<Pattern | undefined> {
    const known = patterns.get(kind)
    if (known && performance.now() - known.at < PATTERN_MS) return await known.pattern
    const pattern = learn(kind).catch(() => undefined) // the client will fail again and report why
    patterns.set(kind, { pattern, at: performance.now() })
    return await pattern
  }

  /** Learns the pattern from one request and verifies it by reproducing another. */
  async function learn (kind: unknown): Promise<Pattern | undefined> {
    if (!isPlain(client)) return undefined
    const [first, second] = ['example/1', 'another example/2'].map(Key =>
      new (kind as typeof PutObjectCommand)({
        Bucket,
        Key,
        ...(kind === PutObjectCommand &&
          { Body: Buffer.from(Key), ContentType: `text/${Key.length}`, IfMatch: Key, IfNoneMatch: '*' })
      })
    ) as [SmallCommand, SmallCommand]
    const pattern = patternOf(await prepared(client, first), requestOf(first)!.key)
    const { signed: expected } = await prepared(client, second)
    const { 'x-amz-date': signedAt = '', [ID]: id = '' } = expected.headers
    const date = new Date(signedAt.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:'))
    const made = pattern && await signed(pattern, requestOf(second)!, { date, id })
    return isDeepStrictEqual({ ...made }, { ...expected }) ? pattern : undefined
  }

  /** Makes the client send a command, or continue with it after a first try that was made here. */
  async function throughClient (
    command: Command<unknown>, abortSignal: AbortSignal,
    tried?: { readonly sentAt: number, readonly result: () => { readonly response: HttpResponse } }
  ): Promise<unknown> {
    let first = tried
    const measure: Middleware = next => async args => {
      const sentAt = first?.sentAt ?? performance.now()
      const result = await next(args)
      time.answered(result.response.headers?.date, sentAt)
      return result
    }
    const skipFirst: Middleware = next => async args => {
      const result = first?.result
      first = undefined
      return result ? result() : await next(args)
    }
    stackOf(command).add(measure, { step: 'deserialize', name: 'storeTime', priority: 'high' })
    stackOf(command).add(skipFirst, { step: 'deserialize', name: 'firstTry', priority: 'low' })
    return await client.send(command as never, { abortSignal })
  }

  async function send (command: Command<unknown>, abortSignal: AbortSignal): Promise<unknown> {
    const request = requestOf(command)
    const pattern = request && await patternFor(command.constructor)
    const strategy = await client.config.retryStrategy()
    if (!pattern || !('acquireInitialRetryToken' in strategy)) return await throughClient(command, abortSignal)
    const sentAt = performance.now()
    const [token, made] = await Promise.all([
      strategy.acquireInitialRetryToken(''),
      signed(pattern, request, { date: new Date(Date.now() + client.config.systemClockOffset), id: randomUUID() })
    ])
    abortSignal.throwIfAborted()
    let response: HttpResponse
    try {
      response = (await client.config.requestHandler.handle(made as never, { abortSignal })).response as HttpResponse
    } catch (error) {
      abortSignal.throwIfAborted()
      return await throughClient(command, abortSignal, { sentAt, result: () => { throw error } })
    }
    if (!isUsual(response)) return await throughClient(command, abortSignal, { sentAt, result: () => ({ response }) })
    strategy.recordSuccess(token)
    time.answered(response.headers.date, sentAt)
    return answerOf(command, response)
  }

  return {
    /**
     * Resolves to what the client would resolve to, or the used part of it. `checksum`: CRC-32 in base64 of a body that
     * the client has not checked.
     */
    send: send as <Output>(
      command: Command<Output>,
      abortSignal: AbortSignal
    ) => Promise<Output & { readonly checksum?: string | undefined }>,

    /** A URL that an object can be fetched from. `now`: milliseconds since 1970. */
    async urlOf (key: string, seconds: number, now: number): Promise<string> {
      const pattern = await patternFor(GetObjectCommand)
      const { unsigned, signing, signer, identity } = pattern ??
        await prepared(client, new GetObjectCommand({ Bucket, Key: key }))
      const { host = '', ...others } = unsigned.headers
      const applicable = Object.entries(others).filter(([name]) => !/^(amz-sdk-.*|(x-amz-)?user-agent)$/.test(name))
      const request = {
        ...unsigned,
        path: pattern ? pattern.folder + encodedKey(key) : unsigned.path,
        headers: { ...Object.fromEntries(applicable), host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }
      }
      const options = { expiresIn: seconds, signingDate: new Date(now), ...signing }
      const { protocol, path, query } = identity
        ? await signer.presignWithCredentials(request, identity, options)
        : await signer.presign(request, options)
      const parameters = Object.entries(query).map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      return `${protocol}//${host}${path}?${parameters.join('&')}`
    }
  }
}

let plain: S3Client | undefined

/** Whether nothing observes or changes requests on their way through the client. */
function isPlain (client: S3Client): boolean {
  plain ??= new S3Client({ region: 'us-east-1' })
  return client.send === plain.send && !('__wrapped' in client.send) && // which instrumentation adds
    client.config.logger.constructor === plain.config.logger.constructor &&
    isDeepStrictEqual(client.middlewareStack.identify(), plain.middlewareStack.identify())
}

/** The request that the client would send, before and after it is signed, and what signs it. */
async function prepared (client: S3Client, command: SmallCommand) {
  let unsigned: unknown
  let signed: unknown
  let context: Context = {}
  const beforeSigning: Middleware = (next, itsContext) => async args => {
    unsigned = args.request
    context = itsContext
    return await next(args)
  }
  const insteadOfSending: Middleware = () => async args => {
    signed = args.request
    return { response: { statusCode: 200, headers: {} }, output: { $metadata: {} } }
  }
  const stack = stackOf(command)
  stack.addRelativeTo(beforeSigning, { name: 'unsigned', relation: 'before', toMiddleware: 'awsAuthMiddleware' })
  stack.add(insteadOfSending, { step: 'deserialize', priority: 'high', name: 'prepared' })
  await client.send(command as GetObjectCommand)
  const scheme = context.endpointV2?.properties?.authSchemes?.[0]
  return {
    unsigned: unsigned as HttpRequest,
    signed: signed as HttpRequest,
    signer: await client.config.signer(scheme as never) as unknown as Signing,
    signing: {
      signingRegion: scheme?.signingRegionSet?.join(',') ?? scheme?.signingRegion,
      signingService: scheme?.signingName
    },
    /** Credentials of a directory bucket. */
    identity: context.s3ExpressIdentity
  }
}

/** Returns `undefined` for a command that is not small or has other input. */
function requestOf (command: { readonly input: object }) {
  const { Bucket, Key, Body, ...others } = command.input as PutObjectCommand['input'] & Record<string, unknown>
  const names = Object.keys(others).filter(name => others[name] !== undefined) as Array<keyof typeof HEADERS>
  const isSmall = !(command instanceof PutObjectCommand) ||
    (Buffer.isBuffer(Body) && Body.length > 0 && Body.length < MAX_BYTES && 'ContentType' in others)
  if (!isSmall || !SMALL_COMMANDS.some(kind => command instanceof kind) || !names.every(name => name in HEADERS)) return
  return {
    key: Key!,
    headers: Object.fromEntries(names.map(name => [HEADERS[name], String(others[name])])),
    body: Body as Buffer | undefined
  }
}

/** The form of all requests of one kind: the path without the key, and the headers that all requests share. */
function patternOf (prepared: Prepared, key: string) {
  const { path, headers } = prepared.unsigned
  const end = encodedKey(key)
  return path.endsWith(`/${end}`)
    ? {
        ...prepared,
        folder: path.slice(0, -end.length),
        headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name)))
      }
    : undefined
}

async function signed (
  { unsigned, folder, headers, signer, signing }: Pattern, { key, headers: own, body }: SmallRequest,
  { date, id }: { readonly date: Date, readonly id: string }
): Promise<HttpRequest> {
  const ofBody = body && {
    'content-length': String(body.length),
    ...(CHECKSUM in unsigned.headers && { [CHECKSUM]: checksumText(crc32(body)) })
  }
  const itsHeaders = { ...headers, ...own, ...ofBody, [ID]: id }
  return await signer.sign(
    { ...unsigned, path: folder + encodedKey(key), headers: itsHeaders, body },
    { signingDate: date, ...signing }
  )
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

function answerOf (command: object, { headers, body }: HttpResponse): unknown {
  const { etag: ETag, 'content-length': length, 'last-modified': modified } = headers
  if (!(command instanceof GetObjectCommand)) {
    body.on('error', () => {}).resume() // it is empty
    return { ETag }
  }
  return {
    ETag,
    Body: body,
    ContentLength: length === undefined ? undefined : Number(length),
    LastModified: modified === undefined ? undefined : new Date(modified),
    checksum: headers[CHECKSUM]
  }
}

/** The stack has the same type for all kinds of commands. */
function stackOf (command: { readonly middlewareStack: unknown }) {
  return command.middlewareStack as Record<'add' | 'addRelativeTo', (middleware: Middleware, options: object) => void>
}

/** Encodes a key for the path of a URL. */
function encodedKey (key: string): string {
  return encoded(key).replaceAll('%2F', '/')
}

/** Encodes what `encodeURIComponent` leaves as it is, too. */
function encoded (text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )
}
