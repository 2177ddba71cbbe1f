import { readFileSync } from 'node:fs'
import { parseArgs, parseEnv } from 'node:util'

export const HELP = `npx fastify-onlyoffice doctor

Examines the connection between an application with the plugin fastify-onlyoffice and its document server: what is wrong,
what was seen, and how to fix it. Run it where the application runs, with the application's environment variables:

  EDITOR_API_URL               the document server's api.js, as the browser reaches it
  JWT_SECRET                   the secret that the application and the document server share
  PUBLIC_BASE_URL              the application, as the document server reaches it
  DOCUMENT_SERVER_INTERNAL_URL where the application reaches the document server, if not at the origin of EDITOR_API_URL
  PORT                         where the command waits for the document server's requests. Default: the port of an http
                               PUBLIC_BASE_URL. If it is in use, the application itself is expected there; it answers if
                               it has the same secret, public base URL and path
  NODE_EXTRA_CA_CERTS          a file with further certificate authorities, in PEM. Node.js does not take it from --env-file

  --env-file FILE              reads those of them that are not set from this file, such as .env
  --editor-api-url URL         instead of EDITOR_API_URL
  --public-base-url URL        instead of PUBLIC_BASE_URL
  --internal-url ORIGIN        instead of DOCUMENT_SERVER_INTERNAL_URL
  --path PATH                  of the handler route, with all prefixes. Default: /Controls/Editor/EditorHandler.ashx
  --profile NAME               secure or classic. Default: secure
  --authorization-header NAME  the header in which the document server sends its token. Default: Authorization
  --json                       prints the report as JSON
  -h, --help                   prints this help
  --version                    prints the version

Exit codes: 0 healthy, 1 something is wrong or has not finished, 2 wrong usage, 130 interrupted.
`

/** Wrong usage of the command line. */
export class UsageError extends Error {}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const OPTIONS = {
  'env-file': text,
  'editor-api-url': text,
  'public-base-url': text,
  'internal-url': text,
  path: text,
  profile: text,
  'authorization-header': text,
  json: flag,
  help: { ...flag, short: 'h' },
  version: flag
}

/** What a file for `--env-file` has: the message about what is missing shows these lines. */
const EXAMPLES = {
  EDITOR_API_URL: 'https://docs.example.com/web-apps/apps/api/documents/api.js # as the browser reaches it',
  JWT_SECRET: '… # the secret of the document server',
  PUBLIC_BASE_URL: 'https://app.example.com # the application, as the document server reaches it'
}
const MAX_SHOWN = 20
const MAX_PORT = 65_535

/** The command line's names for options of the plugin. */
export const OPTION_OF: Readonly<Record<string, string>> = {
  editorApiUrl: 'EDITOR_API_URL (--editor-api-url)',
  publicBaseUrl: 'PUBLIC_BASE_URL (--public-base-url)',
  jwtSecret: 'the secret JWT_SECRET',
  path: '--path',
  profile: '--profile',
  'documentServer.internalUrl': 'DOCUMENT_SERVER_INTERNAL_URL (--internal-url)',
  'documentServer.authorizationHeader': '--authorization-header'
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
  if (name !== 'doctor') throw new UsageError(`unknown command ${briefly(name)}: use doctor`)
  if (others.length > 0) throw new UsageError(`${briefly(others[0]!)} is neither an option nor the value of one`)

  return doctorCommand(values, environment)
}

export type DoctorCommand = ReturnType<typeof doctorCommand>

/** Options that are not given are `undefined`. */
function doctorCommand (values: Values, environment: NodeJS.ProcessEnv) {
  const { 'env-file': file, path, profile, json = false } = values
  const variables = file === undefined ? {} : readVariables(file)
  // An empty one counts as not set: scripts and examples/environment.js set such.
  const variable = (name: string) => environment[name] || variables[name] || undefined
  const required = {
    EDITOR_API_URL: values['editor-api-url'] || variable('EDITOR_API_URL'),
    JWT_SECRET: variable('JWT_SECRET'),
    PUBLIC_BASE_URL: values['public-base-url'] || variable('PUBLIC_BASE_URL')
  }
  return {
    type: 'doctor' as const,
    /** Options of the plugin, by the plugin's names for them. */
    plugin: {
      ...pluginOptions(required),
      path,
      profile,
      documentServer: {
        internalUrl: values['internal-url'] || variable('DOCUMENT_SERVER_INTERNAL_URL'),
        authorizationHeader: values['authorization-header']
      }
    },
    port: portOf(variable('PORT')),
    json
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
    throw new UsageError(`unknown option ${unknown}: use ${known.join(', ')}`)
  }
}

type Values = ReturnType<typeof parsed>['values']

function readVariables (file: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`--env-file: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Names everything that is missing at once. */
function pluginOptions (variables: Readonly<Record<keyof typeof EXAMPLES, string | undefined>>) {
  const { EDITOR_API_URL: editorApiUrl, JWT_SECRET: jwtSecret, PUBLIC_BASE_URL: publicBaseUrl } = variables
  if (editorApiUrl && jwtSecret && publicBaseUrl) return { editorApiUrl, jwtSecret, publicBaseUrl }
  const missing = Object.entries(EXAMPLES).filter(([name]) => !variables[name as keyof typeof EXAMPLES])
  const names = missing.map(([name]) => name).join(', ')
  const lines = missing.map(([name, example]) => `\n${name}=${example}`).join('')
  throw new UsageError(
    `not set: ${names}. Set these environment variables, or put them into a file such as .env and add --env-file .env:${lines}`
  )
}

/** Other values have other meanings: 0 is any free port, and a named pipe is no port. */
function portOf (value = ''): number | undefined {
  const port = /^\d+$/.test(value) ? Number(value) : 0
  return port > 0 && port <= MAX_PORT ? port : undefined
}

/** An unexpected argument may be the secret. */
function briefly (argument: string): string {
  return JSON.stringify(argument.length <= MAX_SHOWN ? argument : `${argument.slice(0, 4)}…`)
}
