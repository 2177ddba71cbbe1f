import type { EditorClock, FastifyOnlyofficeOptions, EditorProfile } from '../types/options.js'
import { checkedDefaults, mergedDefaults } from './control/defaults.js'
import { InvalidOptionError } from './errors.js'
import { connectionTimeoutRules, tlsRules, type Tls } from './http-client/undici-client.js'
import { explainWeakness } from './security/weak-secret.js'
import { isDocumentStore, NO_STORAGE } from './store/contract.js'
import { isHttpUrl, parseOrigin, parseUrl } from './util/url.js'
import {
  AnyFunction as Hook, AnyObject, anyOf, assertOptions, each, integerFrom, isForeign, isFunction, isObject, isOneOf,
  isString, listOf, MAX_TIMEOUT_MS, Milliseconds, objectWith, oneOf, rule, type Rules, stringThat, Timeout, TrueOrFalse,
  withoutUndefined
} from './util/validate.js'

/** The path of `api.js` below the URL of a document server. */
export const API_SCRIPT_PATH = '/web-apps/apps/api/documents/api.js'

const API_EXAMPLE = `https://docs.example.com${API_SCRIPT_PATH}`
const isOrigin = stringThat(value => parseOrigin(value) !== undefined)
const isBase = stringThat(value => {
  const [, origin = '', path = '/'] = /^([^/]*\/\/[^/?#*]*)(\/[^?#]*)?$/.exec(value) ?? []
  return parseOrigin(origin) !== undefined && isUrlPath(path)
})
/** One fixed path of the router: it is part of signed URLs. */
const isPath = stringThat(value => isUrlPath(value) && value.length > 1 && !/[?#:*]|\/$/.test(value))
const PATH_RULE =
  'must start with a slash, not end in one, and have no query, fragment, whitespace, parameter (:) or wildcard (*), because signed URLs contain it'
const BASE_URL = 'the absolute http(s) URL of this application, without query, fragment and whitespace'
const isBaseUrl = stringThat(value => isHttpUrl(value) && !/[?#\s]/.test(value))
const isNotBlank = stringThat(value => value.trim() !== '')
const Bytes = rule('must be a whole number of bytes, at least 1', integerFrom(1))

const rules: Rules<FastifyOnlyofficeOptions> = {
  editorApiUrl: rule(
    `must be the absolute http(s) URL of the document server's api.js, such as ${API_EXAMPLE}`,
    stringThat(isHttpUrl),
    `set it to the URL of the document server's api.js, such as ${API_EXAMPLE}`
  ),
  jwtSecret: rule(
    'must be the secret shared with the document server, not empty, or a list of secrets',
    anyOf(isNotBlank, listOf(isNotBlank, { min: 1 })),
    'set it to the secret shared with the document server; an environment variable that is not set is undefined. Create a secret with `openssl rand -hex 32`'
  ),
  publicBaseUrl: rule(
    `must be ${BASE_URL}, or a function that returns it`,
    anyOf(isFunction, isBaseUrl),
    'set it to the URL of this application, as the document server reaches it, such as https://app.example.com'
  ),
  path: rule(PATH_RULE, isPath),
  prefix: rule(PATH_RULE, anyOf(isOneOf(''), isPath)),
  publicPath: rule(
    'must be a path such as /office, which does not end in a slash and has no query, fragment and whitespace, or empty for the root',
    anyOf(isOneOf(''), isPath)
  ),
  profile: oneOf('secure', 'classic'),
  storage: rule(NO_STORAGE, isDocumentStore),
  httpClient: objectWith('request'),
  documentServer: {
    internalUrl: rule('must be an http(s) origin such as http://documentserver:80', isOrigin),
    origins: rule(
      'must be \'any\' or a list of http(s) origins such as https://docs.example.com, with a path only where the document server\'s storage.externalHost has one',
      anyOf(isOneOf('any'), listOf(isBase))
    ),
    authorizationHeader: rule('must be the name of a header', stringThat(value => /^[\w-]+$/.test(value))),
    authorizationPrefix: rule('must be a string', isString),
    operationClaim: TrueOrFalse
  },
  proxy: {
    allow: rule(
      'must be \'any\' or a list of http(s) origins such as https://docs.example.com, or of { origin, path } with a path such as /thumbnails',
      anyOf(isOneOf('any'), listOf(isProxyTarget))
    ),
    ...each(TrueOrFalse, 'requireToken', 'crossOrigin')
  },
  tls: tlsRules,
  ...each(TrueOrFalse, 'allowPrivateAddresses', 'allowWeakSecret', 'requireToken', 'signedUrls'),
  ...each(Milliseconds, 'downloadUrlLifetime', 'pageTokenLifetime'),
  policies: {
    conflict: oneOf('keep-both', 'overwrite'),
    missingFile: oneOf('reject', 'acknowledge'),
    formatChange: oneOf('follow', 'ignore'),
    corrupted: oneOf('keep', 'discard')
  },
  csv: {
    preserve: TrueOrFalse,
    encoding: rule('must be windows-1250 to windows-1258', stringThat(value => /^windows-125[0-8]$/.test(value)))
  },
  saveRetries: rule('must be a whole number from 0 to 10', integerFrom(0, 10)),
  concurrentSaves: rule('must be a whole number, at least 1', integerFrom(1)),
  ...each(
    Hook,
    'authorize', 'canEdit', 'inspect', 'onCallback', 'onSaved', 'onSaveFailed', 'onFormSubmitted', 'onSessionStart',
    'onSessionEnd', 'onForgotten'
  ),
  doctor: { authorize: Hook },
  defaults: AnyObject,
  actions: {
    rename: Hook,
    saveAs: rule('must be a function or true', anyOf(isOneOf(true), isFunction)),
    ...each(
      Hook,
      'images', 'documents', 'spreadsheets', 'reference', 'users', 'notify', 'sharing', 'editRights', 'favorite',
      'create', 'templates', 'copied', 'title', 'page'
    ),
    links: TrueOrFalse
  },
  saveEvery: rule('must be a whole number of milliseconds, at least 1000', integerFrom(1000, MAX_TIMEOUT_MS)),
  recovery: { interval: Milliseconds, fileIdOf: Hook },
  versions: {
    keep: rule('must be a whole number from 1 to 1000', integerFrom(1, 1000)),
    maxAge: rule('must be a whole number of milliseconds, at least 1', integerFrom(1)),
    maxBytes: Bytes,
    for: oneOf('editors', 'readers')
  },
  clock: objectWith('now'),
  ...each(Bytes, 'maxFileSize', 'bodyLimit'),
  timeouts: {
    ...connectionTimeoutRules,
    ...each(Timeout, 'total', 'body', 'hooks', 'inspect', 'storage', 'session', 'close')
  },
  logLevel: rule('must be a log level', isNotBlank),
  ...each(AnyObject, 'constraints', 'config')
}

const defaultOptions = {
  path: '/Controls/Editor/EditorHandler.ashx',
  prefix: '',
  downloadUrlLifetime: 24 * 60 * 60_000,
  pageTokenLifetime: 60 * 60_000,
  saveRetries: 2,
  concurrentSaves: 16,
  maxFileSize: 1024 ** 3,
  bodyLimit: 4 * 1024 ** 2,
  clock: Date as EditorClock,
  actions: {} as NonNullable<FastifyOnlyofficeOptions['actions']>,
  recovery: {} as NonNullable<FastifyOnlyofficeOptions['recovery']>
}
/** Milliseconds. */
const defaultTimeouts = {
  connect: 10_000,
  headers: 30_000,
  idle: 30_000,
  total: 5 * 60_000,
  body: 30_000,
  hooks: 30_000,
  inspect: 60_000,
  storage: 30_000,
  session: 60 * 60_000,
  close: 30_000
}
const defaultVersions = { keep: 200, maxAge: Infinity, maxBytes: Infinity, for: 'editors' as const }

type RequiredName = 'editorApiUrl' | 'jwtSecret' | 'publicBaseUrl'
type CheckedOptions =
  & FastifyOnlyofficeOptions
  & { readonly [Name in RequiredName]: NonNullable<FastifyOnlyofficeOptions[Name]> }

const required: ReadonlySet<string> =
  new Set<RequiredName | 'doctor.authorize'>(['editorApiUrl', 'jwtSecret', 'publicBaseUrl', 'doctor.authorize'])

/** The options with all defaults filled in and all URLs parsed. */
export type Settings = ReturnType<typeof resolveOptions>

/** Options of Fastify's `register`, which the plugin gets, too. The others are also options of this plugin. */
const REGISTER_OPTIONS: ReadonlySet<string> = new Set(['logSerializers', 'name', 'encapsulate'])

/** The names of options that are neither ours nor Fastify's, nor a misspelling of ours. */
export function unknownNames (given: FastifyOnlyofficeOptions): string[] {
  return Object.keys(given).filter(name => isForeign(name, rules) && !REGISTER_OPTIONS.has(name))
}

/** Validates the options and fills in the defaults. Throws `InvalidOptionError` with the option's name and the rule. */
export function resolveOptions (all: FastifyOnlyofficeOptions) {
  const given = isObject(all)
    ? Object.fromEntries(Object.entries(all).filter(([name]) => !isForeign(name, rules))) as unknown as typeof all
    : all
  assertOptions(rules, given, { required })
  const { profile = 'secure' } = given
  const { anyOrigin, ...defaults } = profiles[profile]
  const { jwtSecret, allowWeakSecret, storage, httpClient, logLevel, constraints, config, ...options } = {
    ...defaultOptions,
    ...defaults,
    ...withoutUndefined(given as CheckedOptions)
  }
  const secrets = typeof jwtSecret === 'string' ? [jwtSecret] : [...jwtSecret]
  if (!allowWeakSecret) assertStrong(secrets)
  const editorApiUrl = new URL(options.editorApiUrl)
  const { documentServer = {} } = options
  const { proxy = {} } = given
  const internalOrigin = documentServer.internalUrl === undefined ? null : new URL(documentServer.internalUrl).origin
  const { origins = anyOrigin ? 'any' : [] } = documentServer
  const { allow = anyOrigin ? 'any' : [] } = proxy
  const publicBaseUrl = addressOf(options.publicBaseUrl, options.prefix + options.path)
  const further = origins === 'any' ? [] : origins.map(origin => new URL(origin).origin)
  const publicOrigins = new Set([editorApiUrl.origin, ...further])

  return {
    ...options,
    profile,
    editorApiUrl,
    secrets,
    publicBaseUrl,
    /** Where browsers find the paths of the application. */
    publicPath: () => options.publicPath ?? new URL(publicBaseUrl()).pathname.replace(/\/$/, ''),
    pageTokenLifetime: Math.min(options.pageTokenLifetime, options.downloadUrlLifetime),
    policies: { ...defaults.policies, ...withoutUndefined(options.policies) },
    csv: { ...defaults.csv, ...withoutUndefined(options.csv) },
    documentServer: {
      /**
       * Base URL of its services: the origin and virtual path of `editorApiUrl`, without a slash at the end of a
       * virtual path.
       */
      publicUrl: new URL(basePathOf(editorApiUrl), editorApiUrl.origin) as Readonly<URL>,
      internalOrigin,
      /** All origins of the document server. */
      origins: new Set([...publicOrigins, ...(internalOrigin ? [internalOrigin] : [])]) as ReadonlySet<string>,
      /** Without the internal origin, which a proxy request must not name. */
      publicOrigins: publicOrigins as ReadonlySet<string>,
      /** Other places of files: the origins and paths in the option `origins`. */
      bases: (origins === 'any' ? [] : origins.map(base => new URL(base))) as ReadonlyArray<Readonly<URL>>,
      anyOrigin: origins === 'any',
      authorizationHeader: documentServer.authorizationHeader?.toLowerCase() ?? 'authorization',
      authorizationPrefix: documentServer.authorizationPrefix ?? 'Bearer ',
      operationClaim: documentServer.operationClaim ?? true
    },
    proxy: {
      /** What may be proxied besides the document server's result files. */
      allowed: toTargets(allow),
      anyOrigin: allow === 'any',
      requireToken: proxy.requireToken ?? defaults.proxy.requireToken,
      crossOrigin: proxy.crossOrigin ?? defaults.proxy.crossOrigin
    },
    tls: { ...defaults.tls, ...withoutUndefined(options.tls) },
    defaults: mergedDefaults(defaults.defaults, checkedDefaults(options.defaults, 'defaults.')),
    versions: options.versions && { ...defaultVersions, ...withoutUndefined(options.versions) },
    timeouts: { ...defaultTimeouts, ...withoutUndefined(options.timeouts) }
  }
}

function assertStrong (secrets: readonly string[]): void {
  for (const weakness of secrets.map(explainWeakness)) {
    if (weakness) {
      throw new InvalidOptionError(
        'jwtSecret',
        `${weakness}: anyone who guesses it can read and replace every document. Create one with \`openssl rand -hex 32\` for this application and the document server, or set allowWeakSecret`
      )
    }
  }
}

/** Called when the URL is needed: by then, a function that returns it has to know it. */
function addressOf (given: string | (() => string), handlerPath: string): () => string {
  let address: string | undefined
  const find = () => {
    if (address !== undefined) return address
    const url = typeof given === 'string' ? given : given()
    if (!isBaseUrl(url)) throw new InvalidOptionError('publicBaseUrl', `must return ${BASE_URL}`)
    assertWithoutHandler(url, handlerPath)
    address = url.replace(/\/+$/, '')
    return address
  }
  if (typeof given === 'string') find()
  return find
}

/** The handler would then be expected at twice its path. */
function assertWithoutHandler (publicBaseUrl: string, handlerPath: string): void {
  if (!new URL(publicBaseUrl).pathname.replace(/\/+$/, '').endsWith(handlerPath)) return
  throw new InvalidOptionError(
    'publicBaseUrl',
    `must be the URL of this application without the path of the handler, ${handlerPath}, which the plugin adds`
  )
}

function toTargets (
  allow: NonNullable<NonNullable<FastifyOnlyofficeOptions['proxy']>['allow']>
): ReadonlyArray<{ readonly origin: string, readonly path?: string }> {
  if (allow === 'any') return []
  return allow.map(target =>
    typeof target === 'string'
      ? { origin: new URL(target).origin }
      : { origin: new URL(target.origin).origin, path: new URL(target.path, target.origin).pathname }
  )
}

function isProxyTarget (value: unknown): boolean {
  if (!isObject(value)) return isOrigin(value)
  const { origin, path, ...others } = value
  return isOrigin(origin) && isString(path) && isUrlPath(path) && Object.keys(others).length === 0
}

/** A path that URL parsing leaves as it is, percent-encoded or not, without dot segments and encoded slashes. */
function isUrlPath (value: string): boolean {
  const pathname = parseUrl(value, new URL('http://example.com'))?.pathname
  return value.isWellFormed() && (pathname === value || pathname === encodeURI(value)) && !/%2f|%5c|[\s\\]/i.test(value)
}

/** Every field is there, and has a value. */
type Complete<Fields> = { readonly [Name in keyof Fields]-?: Exclude<Fields[Name], undefined> }

/** The defaults that differ between the profiles. An option that is given overrides its profile. */
type ProfileDefaults =
  & Complete<Pick<FastifyOnlyofficeOptions, 'requireToken' | 'signedUrls' | 'allowPrivateAddresses' | 'allowWeakSecret'>>
  & {
    readonly policies: Complete<NonNullable<FastifyOnlyofficeOptions['policies']>>,
    readonly csv: Complete<NonNullable<FastifyOnlyofficeOptions['csv']>>,
    /** Whether `documentServer.origins` and `proxy.allow` are `any`. */
    readonly anyOrigin: boolean,
    readonly proxy: Complete<Pick<NonNullable<FastifyOnlyofficeOptions['proxy']>, 'requireToken' | 'crossOrigin'>>,
    readonly tls: Complete<Omit<Tls, 'ca'>> & Pick<Tls, 'ca'>
    readonly defaults: NonNullable<FastifyOnlyofficeOptions['defaults']>
  }

const profiles: Record<EditorProfile, ProfileDefaults> = {
  secure: {
    requireToken: true,
    signedUrls: true,
    allowPrivateAddresses: false,
    allowWeakSecret: false,
    policies: { conflict: 'keep-both', missingFile: 'reject', formatChange: 'follow', corrupted: 'keep' },
    csv: { preserve: true, encoding: 'windows-1252' },
    anyOrigin: false,
    proxy: { requireToken: true, crossOrigin: false },
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' },
    defaults: { customization: { macros: false, plugins: false } }
  },
  classic: {
    requireToken: false,
    signedUrls: false,
    allowPrivateAddresses: true,
    allowWeakSecret: true,
    policies: { conflict: 'overwrite', missingFile: 'acknowledge', formatChange: 'ignore', corrupted: 'discard' },
    csv: { preserve: false, encoding: 'windows-1252' },
    anyOrigin: true,
    proxy: { requireToken: false, crossOrigin: true },
    tls: { rejectUnauthorized: false, minVersion: 'TLSv1' },
    defaults: {}
  }
}

/**
 * The document server also serves `api.js` below its version, as `/9.3.0-0123abcd/web-apps/…`; its services only
 * without it.
 */
const VERSION_SEGMENT = /\/\d+\.\d+\.\d+[.-]\w+$/

/**
 * The path of the document server at its origin: `''`, or the virtual path under which a reverse proxy serves it, such
 * as `/docs`. All its services are below it.
 */
function basePathOf ({ pathname }: URL): string {
  return pathname.endsWith(API_SCRIPT_PATH)
    ? pathname.slice(0, -API_SCRIPT_PATH.length).replace(VERSION_SEGMENT, '')
    : ''
}
