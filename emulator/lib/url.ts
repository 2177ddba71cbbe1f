import type { FastifyRequest } from 'fastify'

/** Of the script that applications embed. */
export const API_PATH = '/web-apps/apps/api/documents/api.js'

/**
 * Parses a URL; returns `undefined` when it is invalid. `URL.canParse` rejects some valid hosts on Node.js 20 and 22
 * once it is optimized.
 */
export function toUrl (value: string): URL | undefined {
  try {
    return new URL(value)
  } catch {
    return undefined
  }
}

/**
 * The URL at which a request reached this server, from its Host and X-Forwarded-* headers, as the document server reads
 * them.
 */
export function baseUrlOf (request: FastifyRequest, fallback: string): string {
  const protocol = firstValue(request.headers['x-forwarded-proto']) ?? request.protocol
  const host = firstValue(request.headers['x-forwarded-host']) ?? request.headers.host
  const prefix = firstValue(request.headers['x-forwarded-prefix']) ?? ''
  const url = `${protocol}://${host}${prefix}`
  return host !== undefined && toUrl(url) ? url.replace(/\/+$/, '') : fallback
}

function firstValue (header: string | string[] | undefined): string | undefined {
  const value = (Array.isArray(header) ? header[0] : header)?.split(',')[0]?.trim()
  return value === '' ? undefined : value
}
