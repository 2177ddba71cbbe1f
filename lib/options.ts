import { Type, type TSchema } from 'typebox'
import { Check } from 'typebox/value'
import type { EditorOptions } from '../types/options.js'
import { InvalidOptionError } from './errors.js'
import { profiles } from './profiles.js'
import { weaknessOf } from './security/weak-secret.js'
import { toOrigin, toUrl } from './url.js'

interface Rule {
  /** Follows the option's name in the error. */
  readonly description: string
  readonly schema: TSchema
}

const rule = (description: string, schema: TSchema): Rule => ({ description, schema })
const where = (holds: (value: string) => boolean) => Type.Refine(Type.String(), holds)
const Function = Type.Refine(Type.Unknown(), value => typeof value === 'function')
const HttpUrl = where(isHttpUrl)
const Origin = where(value => toOrigin(value) !== undefined)
const Origins = Type.Union([Type.Literal('any'), Type.Array(Origin)])
const Target = Type.Union([Origin, Type.Object({ origin: Origin, path: where(isUrlPath) }, { additionalProperties: false })])
const Secret = where(value => value.trim() !== '')
const Path = where(value => /^\/[^?#\s]*[^?#\s/]$/.test(value))
const Text = where(value => value !== '')
const Switch = rule('must be true or false', Type.Boolean())
const Milliseconds = rule('must be a whole number of milliseconds, at least 1', Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }))
const Bytes = rule('must be a whole number of bytes, at least 1', Type.Integer({ minimum: 1 }))
const Callback = rule('must be a function', Function)
const either = (...values: string[]) => rule(`must be ${values.map(value => `'${value}'`).join(' or ')}`, Type.Union(values.map(value => Type.Literal(value))))
const having = (...methods: string[]) => rule(`must be an object with the methods ${methods.join(', ')}`,
  Type.Refine(Type.Unknown(), value => typeof value === 'object' && value !== null && methods.every(name => typeof (value as Record<string, unknown>)[name] === 'function')))

type Rules<Options> = { readonly [Name in keyof Options]-?: Rule | Rules<NonNullable<Options[Name]>> }

const rules: Rules<EditorOptions> = {
  editorApiUrl: rule('must be the absolute http(s) URL of the document server\'s api.js', HttpUrl),
  jwtSecret: rule('must be the secret shared with the document server, or a list of secrets', Type.Union([Secret, Type.Array(Secret, { minItems: 1 })])),
  publicBaseUrl: rule('must be the absolute http(s) URL of this service, without query and fragment', where(value => isHttpUrl(value) && !/[?#]/.test(value))),
  path: rule('must start with a slash and have no query, fragment, blank or slash at its end', Path),
  prefix: rule('must start with a slash and have no query, fragment, blank or slash at its end', Type.Union([Type.Literal(''), Path])),
  profile: either('secure', 'classic'),
  storage: having('stat', 'read', 'create', 'replace'),
  httpClient: having('request'),
  documentServer: {
    internalUrl: rule('must be an http(s) origin such as http://documentserver:80', Origin),
    origins: rule('must be \'any\' or a list of http(s) origins such as https://docs.example.com', Origins),
    authorizationHeader: rule('must be the name of a header', where(value => /^[\w-]+$/.test(value))),
    authorizationPrefix: rule('must be text', Type.String())
  },
  proxy: {
    allow: rule('must be \'any\' or a list of http(s) origins such as https://docs.example.com, or of { origin, path } with a path such as /thumbnails', Type.Union([Type.Literal('any'), Type.Array(Target)])),
    requireToken: Switch,
    crossOrigin: Switch
  },
  tls: {
    rejectUnauthorized: Switch,
    minVersion: either('TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'),
    ca: rule('must be certificates in PEM', Type.Union([Text, Type.Array(Text)]))
  },
  allowPrivateAddresses: Switch,
  allowWeakSecret: Switch,
  requireToken: Switch,
  signedUrls: Switch,
  downloadUrlLifetime: Milliseconds,
  onCorrupted: either('keep', 'discard'),
  onMissingFile: either('reject', 'acknowledge'),
  onFormatChange: either('follow', 'ignore'),
  onConflict: either('keep-both', 'overwrite'),
  saveRetries: rule('must be a whole number from 0 to 10', Type.Integer({ minimum: 0, maximum: 10 })),
  authorize: Callback,
  onCallback: Callback,
  onSaved: Callback,
  onSaveFailed: Callback,
  maxFileSize: Bytes,
  bodyLimit: Bytes,
  timeouts: { connect: Milliseconds, headers: Milliseconds, idle: Milliseconds, total: Milliseconds, body: Milliseconds, host: Milliseconds, storage: Milliseconds, session: Milliseconds, close: Milliseconds },
  logLevel: rule('must be a log level', Text),
  constraints: rule('must be an object', Type.Object({}))
}

const required: ReadonlySet<string> = new Set<keyof EditorOptions>(['editorApiUrl', 'jwtSecret', 'publicBaseUrl'])

/** The options with every default filled in and every address parsed. */
export type Settings = ReturnType<typeof resolveOptions>

/** Checks the options and fills in the defaults. Throws `InvalidOptionError`, naming the option and the rule. */
export function resolveOptions (options: EditorOptions) {
  assertOptions(rules, options, '')
  const profile = options.profile ?? 'secure'
  const defaults = profiles[profile]
  const secrets = typeof options.jwtSecret === 'string' ? [options.jwtSecret] : [...options.jwtSecret]
  if (!(options.allowWeakSecret ?? defaults.allowWeakSecret)) assertStrong(secrets)
  const editorApiUrl = new URL(options.editorApiUrl)
  const internalOrigin = options.documentServer?.internalUrl === undefined ? null : new URL(options.documentServer.internalUrl).origin
  const origins = options.documentServer?.origins ?? (defaults.anyOrigin ? 'any' : [])
  const publicOrigins = new Set([editorApiUrl.origin, ...toOrigins(origins)])
  const allow = options.proxy?.allow ?? (defaults.anyOrigin ? 'any' : [])

  return {
    profile,
    editorApiUrl,
    secrets,
    publicBaseUrl: options.publicBaseUrl.replace(/\/+$/, ''),
    path: options.path ?? '/Controls/Editor/EditorHandler.ashx',
    prefix: options.prefix ?? '',
    requireToken: options.requireToken ?? defaults.requireToken,
    signedUrls: options.signedUrls ?? defaults.signedUrls,
    downloadUrlLifetime: options.downloadUrlLifetime ?? 24 * 3_600_000,
    allowPrivateAddresses: options.allowPrivateAddresses ?? defaults.allowPrivateAddresses,
    onCorrupted: options.onCorrupted ?? defaults.onCorrupted,
    onMissingFile: options.onMissingFile ?? defaults.onMissingFile,
    onFormatChange: options.onFormatChange ?? defaults.onFormatChange,
    onConflict: options.onConflict ?? defaults.onConflict,
    saveRetries: options.saveRetries ?? 2,
    documentServer: {
      internalOrigin,
      /** Every origin known to be the document server's. */
      origins: new Set([...publicOrigins, ...(internalOrigin ? [internalOrigin] : [])]) as ReadonlySet<string>,
      /** Those that a browser, or anyone, may name. */
      publicOrigins: publicOrigins as ReadonlySet<string>,
      anyOrigin: origins === 'any',
      authorizationHeader: options.documentServer?.authorizationHeader?.toLowerCase() ?? 'authorization',
      authorizationPrefix: options.documentServer?.authorizationPrefix ?? 'Bearer '
    },
    proxy: {
      /** Besides the document server's result files. */
      allowed: toTargets(allow),
      anyOrigin: allow === 'any',
      requireToken: options.proxy?.requireToken ?? defaults.requireProxyToken,
      crossOrigin: options.proxy?.crossOrigin ?? defaults.crossOrigin
    },
    tls: {
      rejectUnauthorized: options.tls?.rejectUnauthorized ?? defaults.rejectUnauthorized,
      minVersion: options.tls?.minVersion ?? defaults.minVersion,
      ca: options.tls?.ca
    },
    authorize: options.authorize,
    onCallback: options.onCallback,
    onSaved: options.onSaved,
    onSaveFailed: options.onSaveFailed,
    maxFileSize: options.maxFileSize ?? 1024 ** 3,
    bodyLimit: options.bodyLimit ?? 4 * 1024 ** 2,
    timeouts: { connect: 10_000, headers: 30_000, idle: 30_000, total: 300_000, body: 30_000, host: 30_000, storage: 30_000, session: 3_600_000, close: 30_000, ...options.timeouts }
  }
}

function assertOptions (rules: Record<string, unknown>, options: unknown, path: string): asserts options is Record<string, unknown> {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) throw new InvalidOptionError(path.slice(0, -1) || 'options', 'must be an object')
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(rules, name)) throw new InvalidOptionError(path + name, 'is unknown')
  }
  for (const [name, rule] of Object.entries(rules)) {
    const value = (options as Record<string, unknown>)[name]
    if (value === undefined && !required.has(path + name)) continue
    if (!isRule(rule)) {
      assertOptions(rule as Record<string, unknown>, value, `${path}${name}.`)
    } else if (!Check(rule.schema, value)) {
      throw new InvalidOptionError(path + name, rule.description)
    }
  }
}

function assertStrong (secrets: readonly string[]): void {
  for (const weakness of secrets.map(weaknessOf)) {
    if (weakness) throw new InvalidOptionError('jwtSecret', `${weakness}: whoever guesses it reads and replaces every document. Make one with \`openssl rand -hex 32\`, for the document server too, or set allowWeakSecret`)
  }
}

function isRule (rule: unknown): rule is Rule {
  return typeof (rule as Partial<Rule>).description === 'string'
}

function toOrigins (origins: readonly string[] | 'any'): string[] {
  return origins === 'any' ? [] : origins.map(origin => new URL(origin).origin)
}

function toTargets (allow: NonNullable<NonNullable<EditorOptions['proxy']>['allow']>): ReadonlyArray<{ readonly origin: string, readonly path?: string }> {
  if (allow === 'any') return []
  return allow.map(target => typeof target === 'string' ? { origin: new URL(target).origin } : { origin: new URL(target.origin).origin, path: new URL(target.path, target.origin).pathname })
}

/** A path that means in a URL what it says: with or without percent-encoding, and with nothing in it that would go elsewhere. */
function isUrlPath (value: string): boolean {
  const pathname = toUrl(value, new URL('http://host'))?.pathname
  return value.isWellFormed() && (pathname === value || pathname === encodeURI(value)) && !/%2f|%5c|[\s\\]/i.test(value)
}

function isHttpUrl (value: string): boolean {
  const protocol = toUrl(value)?.protocol
  return protocol === 'http:' || protocol === 'https:'
}
