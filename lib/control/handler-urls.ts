import type { Action } from '../schemas.js'

/** The handler's own addresses. */
export interface HandlerUrls {
  /** Path of the handler in the browser's eyes. */
  readonly path: string
  /** Where the document server fetches a file. */
  download (fileId: string): string
  /** Where the document server posts editing events of a file. */
  callback (fileId: string): string
  /** Whether a URL, however it is percent-encoded, is the download of this file. */
  isDownloadOf (fileId: string, url: unknown): boolean
}

/** `path` is the handler's path below `publicBaseUrl`. */
export function handlerUrls (publicBaseUrl: string, path: string): HandlerUrls {
  const address = new URL(publicBaseUrl + path)
  const urlOf = (action: Action, fileId: string) => `${publicBaseUrl}${path}?action=${action}&fileId=${encodeURIComponent(fileId)}`

  return {
    path: address.pathname,
    download: fileId => urlOf('download', fileId),
    callback: fileId => urlOf('callback', fileId),
    isDownloadOf (fileId, value) {
      if (typeof value !== 'string' || !URL.canParse(value)) return false
      const url = new URL(value)
      return url.origin === address.origin && url.pathname === address.pathname &&
        isOnly(url.searchParams.getAll('action'), 'download') && isOnly(url.searchParams.getAll('fileId'), fileId)
    }
  }
}

function isOnly (values: readonly string[], value: string): boolean {
  return values.length === 1 && values[0] === value
}
