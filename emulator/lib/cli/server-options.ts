import { parseArgs, type ParseArgsConfig } from 'node:util'
import { toUrl } from '../url.js'
import type { DocumentServerOptions } from '../../types/document-server.js'

/** Invalid options. */
export class UsageError extends Error {}

const text = { type: 'string' } as const
const texts = { type: 'string', multiple: true } as const

/** The options of every command that starts a document server, for `parseArgs`. */
export const SERVER_OPTIONS = {
  port: text,
  host: text,
  'jwt-secret': texts,
  'public-url': text,
  'allowed-host': texts,
  'authorization-header': text,
  'server-version': text,
  'purpose-check': text,
  help: { type: 'boolean' }
} as const

type Given = ReturnType<typeof parsed<typeof SERVER_OPTIONS>>

/** Throws a `UsageError`. */
export function serverOf (given: Given): Omit<DocumentServerOptions, 'jwtSecret'> {
  return {
    port: portOf(given.port ?? '8080'),
    host: filled('host', given.host ?? '127.0.0.1'),
    ...(given['server-version'] !== undefined && { version: given['server-version'] }),
    ...(given['purpose-check'] !== undefined &&
      {
        purposeCheck: oneOf('purpose-check', given['purpose-check'], ['off', 'validate', 'strict']) as NonNullable<
          DocumentServerOptions['purposeCheck']
        >
      }),
    ...(given['public-url'] !== undefined && { publicUrl: publicUrlOf(given['public-url']) }),
    ...(given['allowed-host'] !== undefined && { allowedHosts: given['allowed-host'] }),
    ...(given['authorization-header'] !== undefined &&
      { authorizationHeader: headerOf(given['authorization-header']) })
  }
}

/** Parses the values of a command. Throws a `UsageError`. */
export function parsed<Options extends NonNullable<ParseArgsConfig['options']>> (
  parameters: readonly string[], options: Options
) {
  try {
    return parseArgs({ args: [...parameters], options }).values
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
export function secretsOf (given: readonly string[] | undefined, fallback: string | undefined): readonly string[] {
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

export function oneOf (name: string, value: string, values: readonly string[]): string {
  if (!values.includes(value)) {
    throw new UsageError(`--${name} must be one of ${values.join(', ')}, not ${JSON.stringify(value)}`)
  }
  return value
}

export function filled (name: string, value: string): string {
  if (value.trim() === '') throw new UsageError(`--${name} must not be empty`)
  return value
}
