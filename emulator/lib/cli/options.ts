import { parseArgs } from 'node:util'
import { toUrl } from '../url.js'
import type { DocumentServerOptions } from '../../types/document-server.js'

export const HELP = `Usage: onlyoffice-emulator [options]

An emulated ONLYOFFICE document server for tests and development.

  --port NUMBER                the port to listen on; 0 for any free port. Default: 8080
  --host ADDRESS               the IP address or name to listen on. Default: 127.0.0.1 (this machine only)
  --jwt-secret SECRET          shared with your service. If repeated, the first signs and all verify.
                               Default: the environment variable JWT_SECRET, else a random secret, which is printed
  --public-url URL             where your service and browsers reach it, if not where it listens
  --allowed-host NAME          another host name it is reached by, without a port. May be repeated
  --authorization-header NAME  the header that carries its tokens. Default: Authorization
  --server-version VERSION     the version of the document server that it behaves as: 9.3, 9.4 or 10.0. Default: 9.3
  --purpose-check SETTING      with version 10.0: off, validate or strict. Default: validate
  --libre-office PATH|no       the soffice that converts documents, or no. Default: soffice on the PATH, if present
  --fake-clock                 lets POST /emulator/clock advance the time
  --log-level LEVEL            for the log on stderr: trace, debug, info, warn, error, fatal or silent. Default: warn
  --help                       prints this help
  --version                    prints the version
`

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

export type Command =
  | { readonly type: 'help' | 'version' }
  | {
    readonly type: 'run',
    readonly server: Omit<DocumentServerOptions, 'jwtSecret'>,
    readonly secrets: readonly string[],
    readonly fakeClock: boolean,
    readonly logLevel: string
  }

/** Invalid options. */
export class UsageError extends Error {}

/** Parses the command line. Throws a `UsageError`. */
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
      ...(given['server-version'] !== undefined && { version: given['server-version'] }),
      ...(given['purpose-check'] !== undefined &&
        {
          purposeCheck: oneOf('purpose-check', given['purpose-check'], ['off', 'validate', 'strict']) as NonNullable<
            DocumentServerOptions['purposeCheck']
          >
        }),
      ...(given['libre-office'] !== undefined && { libreOffice: officeOf(given['libre-office']) }),
      ...(given['public-url'] !== undefined && { publicUrl: publicUrlOf(given['public-url']) }),
      ...(given['allowed-host'] !== undefined && { allowedHosts: given['allowed-host'] }),
      ...(given['authorization-header'] !== undefined &&
        { authorizationHeader: headerOf(given['authorization-header']) })
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
        'server-version': { type: 'string' },
        'purpose-check': { type: 'string' },
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

function portOf (value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) {
    throw new UsageError(`--port must be a number from 0 to 65535, not ${JSON.stringify(value)}`)
  }
  return Number(value)
}

/** Empty when a random secret is to be created. */
function secretsOf (given: readonly string[] | undefined, fallback: string | undefined): readonly string[] {
  if (given === undefined) return fallback ? [fallback] : []
  return given.map(secret => filled('jwt-secret', secret))
}

function publicUrlOf (value: string): string {
  const url = toUrl(value)
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' &&
    url.username === ''
  if (!isPlain) {
    throw new UsageError(`--public-url must be a URL such as https://docs.example.com, not ${JSON.stringify(value)}`)
  }
  return value
}

function headerOf (name: string): string {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
    throw new UsageError(`--authorization-header must be a header name, not ${JSON.stringify(name)}`)
  }
  return name
}

function officeOf (value: string): string | false {
  return value === 'no' ? false : filled('libre-office', value)
}

function oneOf (name: string, value: string, values: readonly string[]): string {
  if (!values.includes(value)) {
    throw new UsageError(`--${name} must be one of ${values.join(', ')}, not ${JSON.stringify(value)}`)
  }
  return value
}

function filled (name: string, value: string): string {
  if (value.trim() === '') throw new UsageError(`--${name} must not be empty`)
  return value
}
