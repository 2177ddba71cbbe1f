import { randomUUID } from 'node:crypto'
import type { AwaitOptions, BuildRequest, BuildResult } from '../../types/conversions.js'
import type { CommandOptions, EditorServer } from '../../types/document-server.js'
import { BuildFailedError, InvalidKeyError, InvalidOptionError, UpstreamError } from '../errors.js'
import { statusError } from '../outbound/outbound.js'
import { bytesOf } from '../util/streams.js'
import { isJsonObject, parseJson } from '../util/text.js'
import { isHttpUrl } from '../util/url.js'
import {
  assertOptions, requestRules, rule, type Rules, Signal, stringThat, TrueOrFalse
} from '../util/validate.js'
import type { DocumentServerClient, PostOptions } from './client.js'
import { checkedCommand, type Commands } from './commands.js'
import { reportedError, serviceFailure } from './conversion-service.js'
import { extensionOf } from './formats.js'
import type { FileOffers, FromFile } from './from-file.js'
import { assertAwaitOptions, awaitResult } from './poll.js'
import type { FetchResult } from './result-file.js'

/** The document server's document builder. Rejects as `EditorServer.build` does. */
type Build = (request: BuildRequest, options?: AwaitOptions) => Promise<BuildResult>

interface BuilderDependencies {
  readonly client: Pick<DocumentServerClient, 'post'>
  readonly fetchResult: FetchResult
  readonly fromFile: FromFile
  readonly offers: FileOffers
  /** Aborts builds that are not finished. */
  readonly closing: AbortSignal
}

interface BuildAnswer {
  /** Identifies the build in further requests. */
  readonly key: string
  /** Present when the build has finished. */
  readonly urls?: readonly ResultUrl[]
}

interface ResultUrl {
  readonly name: string
  readonly url: string
}

const MAX_SCRIPT_BYTES = 1024 * 1024

const buildRules = {
  url: rule('must be an absolute http(s) URL', stringThat(isHttpUrl)),
  script: rule(
    `must be a string that is not empty, of at most ${MAX_SCRIPT_BYTES} bytes`,
    stringThat(value => value !== '' && Buffer.byteLength(value) <= MAX_SCRIPT_BYTES)
  ),
  argument: rule('must be an object that JSON can represent', isRepresentable)
}

/** Permanent for a conversion, but every build is a new one. */
const SCRIPT_FAILED = '-3'

const failure = (reason: string, options?: ErrorOptions) => new BuildFailedError(reason, options)

export function createBuilder ({ client, fetchResult, fromFile, offers, closing }: BuilderDependencies): Build {
  return async function build (request, options = {}) {
    assertOptions(buildRules, request)
    assertAwaitOptions(options)
    const { url, script, argument } = request
    if ((url === undefined) === (script === undefined)) {
      throw new InvalidOptionError('url', 'or script must be set, and not both')
    }
    if (url !== undefined) {
      return await run(async options => await ask({ async: true, url, argument }, options), options)
    }
    const bytes = Buffer.from(script!)
    let offer: ReturnType<FileOffers['offer']> | undefined
    try {
      return await run(
        async options =>
          await upload(bytes, argument, options) ??
            await ask({ async: true, url: (offer = offers.offer(bytes)).url, argument }, options),
        options
      )
    } finally {
      offer?.withdraw()
    }
  }

  async function run (
    start: (options: PostOptions) => Promise<BuildAnswer>,
    options: AwaitOptions
  ): Promise<BuildResult> {
    const shardKey = randomUUID() // a cluster must ask the same server every time
    let key: string | undefined
    const urls = await awaitResult(async signal => {
      const answer = key === undefined
        ? await start({ signal, shardKey })
        : await ask({ async: true, key }, { signal, shardKey })
      key = answer.key
      return answer.urls
    }, { ...options, work: 'document build', closing })
    return {
      files: urls.map(({ name, url }) => ({
        name,
        async fetch (options = {}) {
          assertOptions(requestRules, options)
          return await fetchResult({ url, fileType: extensionOf(name) }, { signal: options.signal, failure })
        }
      }))
    }
  }

  /** Resolves to `undefined` if the document server takes no script in a request. */
  async function upload (
    bytes: Uint8Array<ArrayBuffer>,
    argument: BuildRequest['argument'],
    options: PostOptions
  ): Promise<BuildAnswer | undefined> {
    const response = await fromFile.post(
      'docbuilder',
      { async: true, argument },
      { name: 'script.docbuilder', bytes },
      options
    )
    return response && answerOf(response.status, (await bytesOf(response.body)).toString())
  }

  async function ask (request: object, options: PostOptions): Promise<BuildAnswer> {
    const { status, text } = await client.post('docbuilder', request, options)
    return answerOf(status, text)
  }

  function answerOf (status: number, text: string): BuildAnswer {
    if (status !== 200) throw statusError(status, `the document builder answered status ${status}`)
    const answer = parseJson(text)
    if (!isJsonObject(answer)) throw failure('its answer is not JSON of a build')
    const error = reportedError(answer)
    if (error !== undefined) throw reportedFailure(error)
    const { key, end, urls } = answer
    if (typeof key !== 'string' || key === '') throw failure('its answer has no key')
    return end === true ? { key, urls: urlsOf(urls) } : { key }
  }
}

function reportedFailure (error: string): BuildFailedError {
  const { reason, ...details } = serviceFailure(error)
  return new BuildFailedError(
    error === SCRIPT_FAILED ? `error ${error} (the script failed: see the log of the document server)` : reason,
    details
  )
}

function urlsOf (urls: unknown): readonly ResultUrl[] {
  if (!isJsonObject(urls)) throw failure('it finished without files')
  return Object.entries(urls).map(([name, url]) => {
    if (typeof url !== 'string') throw failure('the URL of a file is not a string')
    // The application may store the file under this name.
    if (/[/\\\p{Cc}]|^\.{0,2}$/u.test(name)) throw failure('a file has an invalid name')
    return { name, url }
  })
}

function isRepresentable (value: unknown): boolean {
  try {
    return isJsonObject(value) && JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}

interface Dependencies {
  readonly client: DocumentServerClient
  readonly commands: Pick<Commands, 'send'>
  /** Whether this application made a document key. */
  readonly isOwnKey: (key: string) => boolean
}

const commandRules: Rules<CommandOptions> = { foreignKey: TrueOrFalse, signal: Signal }

const HEALTHCHECK_TIMEOUT_MS = 10_000

/** The services that need no file: health check and commands. */
export function createEditorServer (
  { client, commands, isOwnKey }: Dependencies
): Pick<EditorServer, 'healthcheck' | 'command' | 'version' | 'license'> {
  return {
    async healthcheck (options = {}) {
      assertOptions(requestRules, options)
      const { signal } = options
      // A healthy and an unhealthy document server both answer status 200. Source:
      // docs/document-server-protocol.md#other-paths
      const { status, text } = await client.get('/healthcheck', { signal, total: HEALTHCHECK_TIMEOUT_MS })
      if (status !== 200) throw statusError(status, `the health check answered status ${status}`)
      if (text.trim() !== 'true' && text.trim() !== 'false') {
        throw new UpstreamError('the answer to the health check is not one of a document server', { retryable: false })
      }
      return text.trim() === 'true'
    },

    async command (given, options = {}) {
      assertOptions(commandRules, options)
      const { foreignKey = false, signal } = options
      const command = checkedCommand(given)
      if ('key' in command && !foreignKey && !isOwnKey(command.key)) {
        throw new InvalidKeyError('was not made by this application: set foreignKey if that is intended')
      }
      return await commands.send(command, signal && { signal })
    },

    async version (options = {}) {
      assertOptions(requestRules, options)
      return (await commands.send({ c: 'version' }, options)).version
    },

    async license (options = {}) {
      assertOptions(requestRules, options)
      return await commands.send({ c: 'license' }, options)
    }
  }
}
