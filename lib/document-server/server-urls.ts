/** The path of `api.js` below the URL of a document server. */
export const API_SCRIPT_PATH = '/web-apps/apps/api/documents/api.js'

/**
 * The document server also serves `api.js` below its version, as `/9.3.0-0123abcd/web-apps/…`; its services only
 * without it.
 */
const VERSION_SEGMENT = /\/\d+\.\d+\.\d+[.-]\w+$/

/**
 * The path of the document server at its origin: `''`, or the virtual path under which a reverse proxy serves it, such
 * as `/docs`. All its services are below it.
 */
export function basePathOf ({ pathname }: URL): string {
  return pathname.endsWith(API_SCRIPT_PATH)
    ? pathname.slice(0, -API_SCRIPT_PATH.length).replace(VERSION_SEGMENT, '')
    : ''
}

/**
 * The services that the document server has for applications. Each name is also the claim `operation` of the tokens for
 * it. Source: docs/document-server-protocol.md#purposes-of-tokens
 */
export type Service = 'command' | 'converter' | 'docbuilder'

/** The services that take a file in the request, from version 10.0 on. */
export type FromFileService = Exclude<Service, 'command'>

/** Where the services are. Of commands and conversions the older path, which every version serves. */
export const SERVICE_PATHS: Readonly<Record<Service, string>> = {
  command: '/coauthoring/CommandService.ashx',
  converter: '/ConvertService.ashx',
  docbuilder: '/docbuilder'
}

/**
 * The URL of a service at the public origin, below the virtual path if there is one. `publicUrl`: that of the document
 * server.
 */
export function serviceUrl (publicUrl: Readonly<URL>, path: string): URL {
  const url = new URL(publicUrl)
  url.pathname = `${publicUrl.pathname.replace(/\/$/, '')}${path}`
  return url
}
