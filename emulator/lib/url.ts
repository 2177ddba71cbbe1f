import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

/** Of the script that applications embed. */
export const API_PATH = '/web-apps/apps/api/documents/api.js'

/**
 * Parses a URL; returns `undefined` when it is invalid. `URL.canParse` rejects some valid hosts on Node.js 22 once it
 * is optimized.
 */
export function toUrl (value: string, base?: URL): URL | undefined {
  try {
    return new URL(value, base)
  } catch {
    return undefined
  }
}

/**
 * The URL at which a client claims to have reached this server. Like the document server, it believes the headers.
 * Source: docs/document-server-protocol.md#the-urls-in-a-callback
 */
export function baseUrlOf (headers: IncomingHttpHeaders): string {
  const value = (name: string) => firstValue(headers[name])
  const protocol = value('cloudfront-forwarded-proto') ?? value('x-forwarded-proto') ?? ''
  const host = value('x-forwarded-host') ?? value('host') ?? 'localhost'
  const prefix = value('x-forwarded-prefix') ?? ''
  return `${/^https?$/i.test(protocol) ? protocol : 'http'}://${host}${prefix}`.replaceAll('_', '%5f')
}

/** The headers of a browser that uses this URL. */
export function headersFor (url: string): IncomingHttpHeaders {
  const { protocol, host, pathname } = new URL(url)
  return { host, 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-prefix': pathname.replace(/\/$/, '') }
}

function firstValue (header: string | string[] | undefined): string | undefined {
  const value = (Array.isArray(header) ? header[0] : header)?.split(',')[0]?.trim()
  return value === '' ? undefined : value
}

/** The URL of a server for clients on this machine. */
export function localUrlOf (server: Server): string {
  const { address, port } = server.address() as AddressInfo
  const isEverywhere = address === '0.0.0.0' || address === '::'
  return `http://${isEverywhere ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address}:${port}`
}
