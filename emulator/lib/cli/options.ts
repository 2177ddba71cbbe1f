import { parseArgs } from 'node:util'
import { toUrl } from '../url.js'
import type { DocumentServerOptions } from '../../types/document-server.js'

export const HELP = `Usage: onlyoffice-emulator [options]

An emulated ONLYOFFICE document server for tests and development.

  --port NUMBER                where it listens; 0: any free port. Default: 8080
  --host ADDRESS               default: 127.0.0.1, so that only this machine can reach it
  --jwt-secret SECRET          shared with your service; given more than once, the first signs and all verify.
                               Default: the environment's JWT_SECRET, else a random one that is printed
  --public-url URL             where your service and browsers reach it, if that is not where it listens
  --allowed-host NAME          a further name it is reached by, without a port; may be given more than once
  --authorization-header NAME  the header its tokens are sent in. Default: Authorization
  --libre-office PATH|no       the soffice that converts; no: none. Default: soffice of the PATH, if there is one
  --fake-clock                 time passes as it does, and POST /emulator/clock moves it ahead
  --log-level LEVEL            of the log on stderr: trace, debug, info, warn, error, fatal or silent. Default: warn
  --help                       shows this
  --version                    shows the version
`

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

export type Command =
  | { readonly type: 'help' | 'version' }
  | { readonly type: 'run', readonly server: Omit<DocumentServerOptions, 'jwtSecret'>, readonly secrets: readonly string[], readonly fakeClock: boolean, readonly logLevel: string }

/** The options can't be used as they are. */
export class UsageError extends Error {}

/** What the command line asks for. Throws a `UsageError`. */
export function commandOf (parameters: readonly string[], environment: NodeJS.ProcessEnv): Command {
  const given = parsed(parameters)
  if (given.help === true) return { type: 'help' }
  if (given.version === true) return { type: 'version' }
  return {
    type: 'run',
    secrets: secretsOf(given['jwt-secret'], environment.JWT_SECRET),
    fakeClock: given['fake-clock'] === true,
    logLevel: oneOf('log-level', given['log-level'] ?? 'warn', LEVELS),
    server: {
      port: portOf(given.port ?? '8080'),
      host: filled('host', given.host ?? '127.0.0.1'),
      ...(given['libre-office'] !== undefined && { libreOffice: officeOf(given['libre-office']) }),
      ...(given['public-url'] !== undefined && { publicUrl: publicUrlOf(given['public-url']) }),
      ...(given['allowed-host'] !== undefined && { allowedHosts: given['allowed-host'] }),
      ...(given['authorization-header'] !== undefined && { authorizationHeader: headerOf(given['authorization-header']) })
    }
  }
}

function parsed (parameters: readonly string[]) {
  try {
    return parseArgs({
      args: [...parameters],
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        'jwt-secret': { type: 'string', multiple: true },
        'public-url': { type: 'string' },
        'allowed-host': { type: 'string', multiple: true },
        'authorization-header': { type: 'string' },
        'libre-office': { type: 'string' },
        'fake-clock': { type: 'boolean' },
        'log-level': { type: 'string' },
        help: { type: 'boolean' },
        version: { type: 'boolean' }
      }
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ', 1)[0])
  }
}

function portOf (text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new UsageError(`--port must be a number from 0 to 65535, not ${JSON.stringify(text)}`)
  return Number(text)
}

/** None: a random one is made. */
function secretsOf (given: readonly string[] | undefined, fallback: string | undefined): readonly string[] {
  if (given === undefined) return fallback ? [fallback] : []
  return given.map(secret => filled('jwt-secret', secret))
}

function publicUrlOf (text: string): string {
  const url = toUrl(text)
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === ''
  if (!isPlain) throw new UsageError(`--public-url must be an address such as https://docs.example.com, not ${JSON.stringify(text)}`)
  return text
}

function headerOf (name: string): string {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new UsageError(`--authorization-header must be the name of a header, not ${JSON.stringify(name)}`)
  return name
}

function officeOf (text: string): string | false {
  return text === 'no' ? false : filled('libre-office', text)
}

function oneOf (name: string, value: string, values: readonly string[]): string {
  if (!values.includes(value)) throw new UsageError(`--${name} must be one of ${values.join(', ')}, not ${JSON.stringify(value)}`)
  return value
}

function filled (name: string, value: string): string {
  if (value.trim() === '') throw new UsageError(`--${name} is empty`)
  return value
}
