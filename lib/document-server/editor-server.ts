import { randomUUID } from 'node:crypto'
import type { PollingOptions, BuildRequest, BuildResult, SignalOptions } from '../../types/conversions.js'
import type { ServerCommand, ServerCommandOptions, ServerCommandResult, ServerLicense } from '../../types/document-server.js'
import { BuildFailedError, InvalidKeyError, InvalidOptionError, UpstreamError } from '../errors.js'
import { statusError } from '../outbound/outbound.js'
import { bytesOf } from '../util/streams.js'
import { isJsonObject, parseJson } from '../util/text.js'
import {
  assertOptions, HttpUrl, requestRules, rule, type Rules, Signal, stringThat, TrueOrFalse
} from '../util/validate.js'
import type { PostOptions } from './client.js'
import { checkedCommand } from './commands.js'
import { reportedError, serviceFailure } from './conversion-service.js'
import { extensionOf } from './formats.js'
import { awaitRules, type ConversionServices, type FileOffers } from './files.js'

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

const HEALTHCHECK_TIMEOUT_MS = 10_000
const MAX_SCRIPT_BYTES = 1024 * 1024

const commandRules: Rules<ServerCommandOptions> = { foreignKey: TrueOrFalse, signal: Signal }
const buildRules = {
  url: HttpUrl,
  script: rule(
    `must be a string that is not empty, of at most ${MAX_SCRIPT_BYTES} bytes`,
    stringThat(value => value !== '' && Buffer.byteLength(value) <= MAX_SCRIPT_BYTES)
  ),
  argument: rule('must be an object that JSON can represent', isRepresentable)
}

/** Permanent for a conversion, but every build is a new one. */
const SCRIPT_FAILED = '-3'

const failure = (reason: string, options?: ErrorOptions) => new BuildFailedError(reason, options)

/** The services of `EditorServer`, which also describes how they reject, besides conversions and recovery. */
export function createEditorServer (
  { client, commands, keys, offers, postFile, awaitResult, fetchResult }: ConversionServices
) {
  return { healthcheck, command, version, license, build }

  async function healthcheck (options: SignalOptions = {}): Promise<boolean> {
    assertOptions(requestRules, options)
    // A healthy and an unhealthy document server both answer status 200. Source:
    // emulator/docs/document-server-protocol.md#other-paths
    const text = await client.get('/healthcheck', { signal: options.signal, total: HEALTHCHECK_TIMEOUT_MS })
    const answer = text.trim()
    if (answer !== 'true' && answer !== 'false') {
      throw new UpstreamError('the answer to the health check is not from a document server', { retryable: false })
    }
    return answer === 'true'
  }

  async function command<C extends ServerCommand> (
    given: C, options: ServerCommandOptions = {}
  ): Promise<ServerCommandResult<C>> {
    assertOptions(commandRules, options)
    const { foreignKey = false, signal } = options
    const command = checkedCommand(given)
    if ('key' in command && !foreignKey && keys.fileIdOf(command.key) === undefined) {
      throw new InvalidKeyError('was not made by this application: set foreignKey if that is intended')
    }
    return await commands.send(command, signal && { signal })
  }

  async function version (options: SignalOptions = {}): Promise<string> {
    assertOptions(requestRules, options)
    return (await commands.send({ c: 'version' }, options)).version
  }

  async function license (options: SignalOptions = {}): Promise<ServerLicense> {
    assertOptions(requestRules, options)
    return await commands.send({ c: 'license' }, options)
  }

  async function build (request: BuildRequest, options: PollingOptions = {}): Promise<BuildResult> {
    assertOptions(buildRules, request)
    assertOptions(awaitRules, options)
    const { url, script, argument } = request
    if ((url === undefined) === (script === undefined)) {
      throw new InvalidOptionError('url', 'or script must be set, and not both')
    }
    if (url !== undefined) return await run(options, async post => await ask({ async: true, url, argument }, post))
    const bytes = Buffer.from(script!)
    let offer: ReturnType<FileOffers['offer']> | undefined
    try {
      return await run(options, async post => {
        const file = { name: 'script.docbuilder', bytes }
        const response = await postFile('docbuilder', { async: true, argument }, file, post)
        if (response) {
          const { status, body } = response
          if (status !== 200) throw statusError(status, `the document builder answered status ${status}`)
          return answerOf((await bytesOf(body)).toString())
        }
        offer = offers.offer(bytes)
        return await ask({ async: true, url: offer.url, argument }, post)
      })
    } finally {
      offer?.withdraw()
    }
  }

  async function run (
    options: PollingOptions, start: (post: PostOptions) => Promise<BuildAnswer>
  ): Promise<BuildResult> {
    const shardKey = randomUUID() // a cluster must ask the same server every time
    let key: string | undefined
    const urls = await awaitResult({ ...options, name: 'document build' }, async signal => {
      const post = { signal, shardKey }
      const answer = key === undefined ? await start(post) : await ask({ async: true, key }, post)
      key = answer.key
      return answer.urls
    })
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

  async function ask (request: object, options: PostOptions): Promise<BuildAnswer> {
    return answerOf(await client.post('docbuilder', request, options))
  }
}

function answerOf (text: string): BuildAnswer {
  const answer = parseJson(text)
  if (!isJsonObject(answer)) throw failure('its answer is not JSON of a build')
  const error = reportedError(answer)
  if (error !== undefined) throw reportedFailure(error)
  const { key, end, urls } = answer
  if (typeof key !== 'string' || key === '') throw failure('its answer has no key')
  return end === true ? { key, urls: urlsOf(urls) } : { key }
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
