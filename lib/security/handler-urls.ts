import { toUrl } from '../url.js'
import { type SignedUrl, urlSigner } from './signed-url.js'

/** The handler's own addresses. */
export interface HandlerUrls {
  /** Path of the handler in the browser's eyes. */
  readonly path: string
  /** Where the document server fetches a file. */
  download (fileId: string): string
  /**
   * Where the document server posts editing events of a file: under any document key that this library made for the file,
   * or under the one given.
   */
  callback (fileId: string, key?: string): string
  /** What the signature in the query of a request says. */
  signatureOf (purpose: SignedUrl['purpose'], fileId: string, query: SignatureQuery): 'absent' | 'valid' | 'expired' | 'wrong'
  /** Whether `url`, however it is percent-encoded, is the one of a request for a file: `target` is its path with the query. */
  isRequested (url: unknown, target: string, fileId: string): boolean
}

export interface SignatureQuery {
  readonly expires?: string | undefined
  readonly key?: string | undefined
  readonly signature?: string | undefined
}

interface Options {
  readonly publicBaseUrl: string
  /** The handler's path below `publicBaseUrl`. */
  readonly path: string
  readonly secrets: readonly string[]
  /** Without it the URLs are exactly those of the specification. */
  readonly signedUrls: boolean
  /** Milliseconds. */
  readonly downloadUrlLifetime: number
}

export function handlerUrls ({ publicBaseUrl, path, secrets, signedUrls, downloadUrlLifetime }: Options): HandlerUrls {
  const base = publicBaseUrl + path
  const address = new URL(base)
  const signer = urlSigner(secrets, base)

  function urlOf (url: SignedUrl): string {
    const { purpose, fileId, expires, key } = url
    const plain = `${base}?action=${purpose}&fileId=${encodeURIComponent(fileId)}`
    if (!signedUrls) return plain
    const rest = new URLSearchParams({ ...(expires && { expires }), ...(key && { key }), signature: signer.sign(url) })
    return `${plain}&${rest}`
  }

  return {
    path: address.pathname,
    download: fileId => urlOf({ purpose: 'download', fileId, expires: String(Math.ceil((Date.now() + downloadUrlLifetime) / 1000)) }),
    callback: (fileId, key) => urlOf({ purpose: 'callback', fileId, key }),
    signatureOf (purpose, fileId, { signature, expires, key }) {
      if (signature === undefined) return 'absent'
      if (!signer.isSignature(signature, { purpose, fileId, expires, key })) return 'wrong'
      return expires !== undefined && Number(expires) * 1000 < Date.now() ? 'expired' : 'valid'
    },
    isRequested (value, target, fileId) {
      const url = typeof value === 'string' ? toUrl(value) : undefined
      if (!url) return false
      const query = target.indexOf('?') < 0 ? '' : target.slice(target.indexOf('?'))
      return url.origin === address.origin && url.pathname === address.pathname &&
        url.searchParams.get('fileId') === fileId && sorted(url.searchParams) === sorted(new URLSearchParams(query))
    }
  }
}

function sorted (parameters: URLSearchParams): string {
  parameters.sort()
  return parameters.toString()
}
