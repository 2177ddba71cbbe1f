import type { DocumentServerOptions } from '../../types/document-server.js'
import { type CheckCommand, checkCommand } from './check-options.js'
import { filled, oneOf, parsed, secretsOf, SERVER_OPTIONS, serverOf } from './server-options.js'

export const HELP = `Usage: onlyoffice-emulator [options]
       onlyoffice-emulator check --config-url URL --content-url URL [options]

An emulated ONLYOFFICE document server for tests and development. The command check examines your service.

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
  | { readonly type: 'help' | 'check-help' | 'list' | 'version' }
  | CheckCommand
  | {
    readonly type: 'run',
    readonly server: Omit<DocumentServerOptions, 'jwtSecret'>,
    readonly secrets: readonly string[],
    readonly fakeClock: boolean,
    readonly logLevel: string
  }

/** Parses the command line. Throws a `UsageError`. */
export function commandOf (parameters: readonly string[], environment: NodeJS.ProcessEnv): Command {
  if (parameters[0] === 'check') return checkCommand(parameters.slice(1), environment)
  const given = parsed(parameters, {
    ...SERVER_OPTIONS,
    'libre-office': { type: 'string' },
    'fake-clock': { type: 'boolean' },
    'log-level': { type: 'string' },
    version: { type: 'boolean' }
  })
  if (given.help === true) return { type: 'help' }
  if (given.version === true) return { type: 'version' }
  return {
    type: 'run',
    secrets: secretsOf(given['jwt-secret'], environment.JWT_SECRET),
    fakeClock: given['fake-clock'] === true,
    logLevel: oneOf('log-level', given['log-level'] ?? 'warn', LEVELS),
    server: {
      ...serverOf(given),
      ...(given['libre-office'] !== undefined && { libreOffice: officeOf(given['libre-office']) })
    }
  }
}

function officeOf (value: string): string | false {
  return value === 'no' ? false : filled('libre-office', value)
}
