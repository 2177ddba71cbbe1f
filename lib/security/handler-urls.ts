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
  /** What the page with a file sends with each request to the proxy action, in a header. `fileId`: `''` when no stored file is in it. */
  proxyToken (fileId: string): string
  /** What the signature in the query of a request says. */
  signatureOf (purpose: 'callback' | 'download', fileId: string, query: SignatureQuery): SignatureState
  /** The same of a proxy token. */
  proxyTokenState (fileId: string, token: string | undefined): SignatureState
  /** Whether `url`, however it is percent-encoded, is the one of a request for a file: `target` is its path with the query. */
  isRequested (url: unknown, target: string, fileId: string): boolean
}

export type SignatureState = 'absent' | 'valid' | 'expired' | 'wrong'

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
  /** Milliseconds that download URLs and proxy tokens are good for. */
  readonly downloadUrlLifetime: number
}

/** Seconds since 1970: what we sign, and nothing that a number could be read from in another way. */
const SECONDS = /^[1-9]\d{0,11}$/

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

  function inSeconds (milliseconds: number): string {
    return String(Math.ceil((Date.now() + milliseconds) / 1000))
  }

  function stateOf (url: SignedUrl, signature: string): SignatureState {
    if (!signer.isSignature(signature, url)) return 'wrong'
    if (url.purpose === 'callback') return url.expires === undefined ? 'valid' : 'wrong'
    if (!SECONDS.test(url.expires ?? '')) return 'wrong'
    return Number(url.expires) * 1000 < Date.now() ? 'expired' : 'valid'
  }

  return {
    path: address.pathname,
    download: fileId => urlOf({ purpose: 'download', fileId, expires: inSeconds(downloadUrlLifetime) }),
    callback: (fileId, key) => urlOf({ purpose: 'callback', fileId, key }),
    signatureOf (purpose, fileId, { signature, expires, key }) {
      return signature === undefined ? 'absent' : stateOf({ purpose, fileId, expires, key }, signature)
    },
    proxyToken (fileId) {
      const expires = inSeconds(downloadUrlLifetime)
      return `${expires}.${signer.sign({ purpose: 'proxy', fileId, expires })}`
    },
    proxyTokenState (fileId, token) {
      if (token === undefined) return 'absent'
      const end = token.indexOf('.')
      return stateOf({ purpose: 'proxy', fileId, expires: token.slice(0, end) }, token.slice(end + 1))
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
