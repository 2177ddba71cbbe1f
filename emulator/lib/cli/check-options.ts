import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import type { Format } from '../check/report.js'
import type { CheckOptions } from '../check/types.js'
import { toUrl } from '../url.js'
import { oneOf, parsed, secretsOf, SERVER_OPTIONS, serverOf, UsageError } from './server-options.js'

export const CHECK_HELP = `Usage: onlyoffice-emulator check --config-url URL --content-url URL [options]

Examines a service in any language that integrates ONLYOFFICE Docs: starts a document server, with which the service must
be configured, plays scenarios of its protocol, and reports what loses data or lets strangers in.

  --config-url URL             a GET returns the editor configuration of a document, as JSON or in a page
  --content-url URL            a GET returns the stored bytes of the same document. The document is overwritten
                               {n} in both URLs is replaced by the number of the scenario: then each has its own document
  --header 'NAME: VALUE'       sent to both URLs, such as a cookie of a session. May be repeated
  --env-file FILE              reads JWT_SECRET from this file, such as .env, unless it is set
  --only ID                    plays this scenario only. May be repeated
  --list                       prints the scenarios
  --format FORMAT              text, json or junit. Default: text
  --port, --host, --jwt-secret, --public-url, --allowed-host, --authorization-header, --server-version, --purpose-check:
                               of the document server, as without check. Default: http://127.0.0.1:8080

Exit codes: 0 no rule is broken (warnings may be), 1 one is, 2 wrong usage, or the service can't be examined.
`

export type CheckCommand =
  | { readonly type: 'check-help' | 'list' }
  | { readonly type: 'check', readonly options: CheckOptions, readonly format: Format }

/** Parses what follows `check`. Throws a `UsageError`. */
export function checkCommand (parameters: readonly string[], environment: NodeJS.ProcessEnv): CheckCommand {
  const given = parsed(parameters, {
    ...SERVER_OPTIONS,
    'config-url': { type: 'string' },
    'content-url': { type: 'string' },
    header: { type: 'string', multiple: true },
    'env-file': { type: 'string' },
    only: { type: 'string', multiple: true },
    list: { type: 'boolean' },
    format: { type: 'string' }
  })
  if (given.help === true) return { type: 'check-help' }
  if (given.list === true) return { type: 'list' }
  if (Number(given.port) === 0) throw new UsageError('--port 0: the service must know the port of its document server')
  const configUrl = urlOf('config-url', given['config-url'])
  const contentUrl = urlOf('content-url', given['content-url'])
  if (configUrl.includes('{n}') !== contentUrl.includes('{n}')) {
    throw new UsageError('--config-url and --content-url must name the same document: put {n} into both or into neither')
  }
  const secrets = secretsOf(given['jwt-secret'], environment.JWT_SECRET || secretIn(given['env-file']))
  if (secrets.length === 0) throw new UsageError('set JWT_SECRET to the secret that the service shares with its document server, or use --env-file')
  return {
    type: 'check',
    format: oneOf('format', given.format ?? 'text', ['text', 'json', 'junit']) as Format,
    options: {
      configUrl,
      contentUrl,
      headers: Object.fromEntries((given.header ?? []).map(headerOf)),
      secrets,
      server: serverOf(given),
      only: given.only ?? []
    }
  }
}

function urlOf (name: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`--${name} is missing. Try onlyoffice-emulator check --help`)
  const url = toUrl(value)
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '') {
    throw new UsageError(
      `--${name} must be a URL such as http://127.0.0.1:3000/documents/{n}; credentials go into --header`
    )
  }
  return value
}

function headerOf (value: string): [string, string] {
  const [, name, text] = /^([\w!#$%&'*+.^`|~-]+): *([^\r\n]*)$/.exec(value) ?? []
  if (name === undefined || text === undefined) throw new UsageError('--header must be a name, a colon and a value')
  return [name, text]
}

function secretIn (file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  try {
    return parseEnv(readFileSync(file, 'utf8')).JWT_SECRET
  } catch (error) {
    throw new UsageError(`--env-file: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`)
  }
}
