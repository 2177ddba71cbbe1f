import type { FastifyRequest } from 'fastify'
import { toUrl } from './url.js'

/** The address a connection reached this server at: its Host and X-Forwarded-* headers, as the document server reads them. */
export function baseUrlOf (request: FastifyRequest, fallback: string): string {
  const protocol = first(request.headers['x-forwarded-proto']) ?? request.protocol
  const host = first(request.headers['x-forwarded-host']) ?? request.headers.host
  const prefix = first(request.headers['x-forwarded-prefix']) ?? ''
  const address = `${protocol}://${host}${prefix}`
  return host !== undefined && toUrl(address) ? address.replace(/\/+$/, '') : fallback
}

function first (header: string | string[] | undefined): string | undefined {
  const value = (Array.isArray(header) ? header[0] : header)?.split(',')[0]?.trim()
  return value === '' ? undefined : value
}
