import { parseArgs } from 'node:util'
import { nearest } from '../util/validate.js'

export const HELP = `Usage: fastify-onlyoffice doctor [options]

Examines the connection between an application with the plugin fastify-onlyoffice and its document server: what is wrong,
what was seen, and how to fix it. Give the options that the application gives the plugin.

  --editor-api-url URL         the document server's api.js, as the browser reaches it; required
  --public-base-url URL        the application, as the document server reaches it; required
  --jwt-secret-env NAME        the environment variable with the secret. Default: JWT_SECRET
  --internal-url ORIGIN        where the application reaches the document server, if not at its public origin
  --path PATH                  of the handler route, with all prefixes. Default: /Controls/Editor/EditorHandler.ashx
  --profile NAME               secure or classic. Default: secure
  --authorization-header NAME  the header in which the document server sends its token. Default: Authorization
  --authorization-prefix TEXT  what precedes the token in that header. Default: "Bearer "
  --storage DIRECTORY          of the documents, to examine it too. Default: none, documents are kept in memory
  --ca FILE                    certificates in PEM that are trusted instead of those of Node.js
  --file-id ID                 also looks for this document in --storage

  --listen [HOST:]PORT|none    where to wait for the document server's requests, behind a reverse proxy for instance.
                               Default: the port of an http --public-base-url. If it is in use, the application itself
                               is expected there; it answers if it has the same secret, public base URL and path
  --timeout SECONDS            after which checks that have not finished are skipped. Default: 60
  --json                       prints the report as JSON
  --no-color                   prints no colors; so does the environment variable NO_COLOR
  -h, --help                   prints this help
  --version                    prints the version

Exit codes: 0 healthy, 1 something is wrong or has not finished, 2 wrong usage, 130 interrupted.

  JWT_SECRET=… npx fastify-onlyoffice doctor --editor-api-url https://docs.example.com/web-apps/apps/api/documents/api.js \\
    --public-base-url https://app.example.com
`

/** Where the command waits for requests of the document server. `undefined`: at the port of the public base URL. */
export type Listening = 'none' | { readonly host?: string, readonly port: number } | undefined

/** Wrong usage of the command line. */
export class UsageError extends Error {}

const COMMANDS = ['doctor', 'help', 'version']

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const OPTIONS = {
  'editor-api-url': text,
  'public-base-url': text,
  'jwt-secret-env': text,
  'internal-url': text,
  path: text,
  profile: text,
  'authorization-header': text,
  'authorization-prefix': text,
  storage: text,
  ca: text,
  'file-id': text,
  listen: text,
  timeout: text,
  json: flag,
  'no-color': flag,
  help: { ...flag, short: 'h' },
  version: flag
}

const MAX_TIMEOUT_SECONDS = 3600
const MAX_SHOWN = 20

/** The command line's names for options of the plugin. */
export const OPTION_OF: Readonly<Record<string, string>> = {
  editorApiUrl: '--editor-api-url',
  publicBaseUrl: '--public-base-url',
  jwtSecret: 'the secret that --jwt-secret-env names',
  path: '--path',
  storage: '--storage',
  profile: '--profile',
  'documentServer.internalUrl': '--internal-url',
  'documentServer.authorizationHeader': '--authorization-header',
  'documentServer.authorizationPrefix': '--authorization-prefix',
  'tls.ca': '--ca'
}

/** Parses the command line. Throws a `UsageError`. */
export function commandOf (
  args: readonly string[], environment: NodeJS.ProcessEnv
): { readonly type: 'help' | 'version' } | DoctorCommand {
  const { values, positionals } = parsed(args)
  if (values.help) return { type: 'help' }
  if (values.version) return { type: 'version' }
  const [name, ...others] = positionals
  if (name === undefined) throw new UsageError('name a command: doctor')
  if (!COMMANDS.includes(name)) throw new UsageError(`unknown command ${briefly(name)}${suggestion(name, COMMANDS)}`)
  if (others.length > 0) throw new UsageError(`${briefly(others[0]!)} is neither an option nor the value of one`)
  if (name === 'help' || name === 'version') return { type: name }

  return doctorCommand(values, environment)
}

export type DoctorCommand = ReturnType<typeof doctorCommand>

/** Options that are not given are `undefined`. */
function doctorCommand (values: Values, environment: NodeJS.ProcessEnv) {
  if (values['file-id'] !== undefined && values.storage === undefined) throw new UsageError('--file-id needs --storage')
  return {
    type: 'doctor' as const,
    /** Options of the plugin, by the plugin's names for them. */
    plugin: {
      editorApiUrl: required(values, 'editor-api-url'),
      publicBaseUrl: required(values, 'public-base-url'),
      jwtSecret: secretOf(values['jwt-secret-env'] ?? 'JWT_SECRET', environment),
      path: values.path,
      profile: profileOf(values.profile),
      documentServer: {
        internalUrl: values['internal-url'],
        authorizationHeader: values['authorization-header'],
        authorizationPrefix: values['authorization-prefix']
      }
    },
    storageDirectory: filled(values, 'storage'),
    caFile: filled(values, 'ca'),
    listen: listeningOf(values.listen),
    fileId: filled(values, 'file-id'),
    timeout: millisecondsOf(values.timeout),
    json: values.json === true,
    noColor: values['no-color'] === true
  }
}

function parsed (args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const unknown = code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? /'(-[^'=]*)/.exec(message)?.[1] : undefined
    if (unknown === undefined) throw new UsageError(message.split(/\.\s/, 1)[0])
    const known = Object.keys(OPTIONS).map(name => `--${name}`)
    throw new UsageError(`unknown option ${unknown}${suggestion(unknown, known)}`)
  }
}

type Values = ReturnType<typeof parsed>['values']

function suggestion (name: string, known: readonly string[]): string {
  const candidate = nearest(name, known)
  return candidate === undefined ? '' : `: did you mean ${candidate}?`
}

function required (values: Values, name: 'editor-api-url' | 'public-base-url'): string {
  const value = filled(values, name)
  if (value === undefined) throw new UsageError(`--${name} is missing`)
  return value
}

function filled (values: Values, name: keyof Values): string | undefined {
  const value = values[name] as string | undefined
  if (value?.trim() === '') throw new UsageError(`--${name} must not be empty`)
  return value
}

/** The message repeats neither name nor value: somebody may have given the secret itself. */
function secretOf (name: string, environment: NodeJS.ProcessEnv): string {
  const secret = environment[name]
  if (!secret) {
    throw new UsageError(
      '--jwt-secret-env names an environment variable that is not set or empty (default: JWT_SECRET). Set it to the secret, which does not belong on the command line'
    )
  }
  return secret
}

function profileOf (value: string | undefined): 'secure' | 'classic' | undefined {
  if (value !== undefined && value !== 'secure' && value !== 'classic') {
    throw new UsageError(`--profile must be secure or classic, not ${quoted(value)}`)
  }
  return value
}

function listeningOf (value: string | undefined): Listening {
  if (value === undefined || value === 'none') return value
  const [, bracketed, host = bracketed, digits = ''] = /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d{1,5})$/.exec(value) ?? []
  const port = Number(digits)
  if (digits === '' || port > 65_535) {
    throw new UsageError(`--listen must be a port, HOST:PORT or none, not ${quoted(value)}`)
  }
  return { port, ...(host !== undefined && { host }) }
}

function millisecondsOf (value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const seconds = Number(value)
  if (!/^\d+(\.\d+)?$/.test(value) || seconds <= 0 || seconds > MAX_TIMEOUT_SECONDS) {
    throw new UsageError(`--timeout must be a number of seconds up to ${MAX_TIMEOUT_SECONDS}, not ${quoted(value)}`)
  }
  return Math.ceil(seconds * 1000)
}

/** An unexpected argument may be the secret. */
function briefly (argument: string): string {
  return quoted(argument.length <= MAX_SHOWN ? argument : `${argument.slice(0, 4)}…`)
}

function quoted (value: string): string {
  return JSON.stringify(value)
}
