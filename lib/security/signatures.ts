import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { EditorControlDefaults } from '../../types/control.js'
import type { EditorClock } from '../../types/options.js'
import { isJsonObject } from '../util/text.js'
import { parseUrl } from '../util/url.js'

export type SignatureState = 'absent' | 'valid' | 'expired' | 'invalid'

export interface SignatureQuery {
  readonly expires?: string | undefined
  readonly key?: string | undefined
  readonly signature?: string | undefined
  readonly version?: string | undefined
  readonly part?: string | undefined
}

interface Options {
  readonly publicBaseUrl: () => string
  /** The handler's path below `publicBaseUrl`. */
  readonly path: string
  readonly secrets: readonly string[]
  /** Whether URLs have a signature in their query. */
  readonly signedUrls: boolean
  /** Milliseconds for which download URLs and proxy tokens are valid. */
  readonly downloadUrlLifetime: number
  /** Defaults to the system's clock. */
  readonly clock?: EditorClock
}

/** A probe takes at most a minute. */
const PROBE_LIFETIME_MS = 5 * 60_000
/** For choosing from a list. */
const OFFER_LIFETIME_MS = 60 * 60_000

/** Seconds since the epoch, in the only form that is signed. `Number` would accept others. */
const EPOCH_SECONDS = /^[1-9]\d{0,11}$/

/** The `key` of a download URL for requests with a token of the document server. */
export const ONLY_WITH_TOKEN = 'token'

/** Makes the URLs of the handler and the proxy tokens of its pages, and checks their signatures. */
export type HandlerUrls = ReturnType<typeof handlerUrls>

export function handlerUrls (
  { publicBaseUrl, path, secrets, signedUrls, downloadUrlLifetime, clock = Date }: Options
) {
  const base = () => publicBaseUrl() + path
  const signer = urlSigner(secrets, base)

  function urlOf (url: SignedUrl): string {
    const { purpose, fileId, expires, key } = url
    const unsigned = `${base()}?action=${purpose}&fileId=${encodeURIComponent(fileId)}`
    if (!signedUrls) return unsigned
    const signedFields = new URLSearchParams({
      ...(expires && { expires }),
      ...(key && { key }),
      signature: signer.sign(url)
    })
    return `${unsigned}&${signedFields}`
  }

  function expiry (lifetime = downloadUrlLifetime): string {
    return String(Math.ceil((clock.now() + lifetime) / 1000))
  }

  function check (url: SignedUrl, signature: string | undefined): SignatureState {
    if (signature === undefined) return 'absent'
    if (!signer.verify(url, signature)) return 'invalid'
    if (url.purpose === 'callback') return url.expires === undefined ? 'valid' : 'invalid'
    if (!EPOCH_SECONDS.test(url.expires ?? '')) return 'invalid'
    return Number(url.expires) * 1000 < clock.now() ? 'expired' : 'valid'
  }

  function tokenFor (claims: SignedUrl): string {
    return `${claims.expires}.${signer.sign(claims)}`
  }

  function checkToken (claims: SignedUrl, token: string | undefined): SignatureState {
    if (token === undefined) return 'absent'
    const dot = token.indexOf('.')
    return check({ ...claims, expires: token.slice(0, dot) }, token.slice(dot + 1))
  }

  return {
    /**
     * URL at which the document server downloads a file. `lifetime` in milliseconds shortens its validity.
     * `onlyWithToken`: of no use to a browser.
     */
    download: (fileId: string, { lifetime = downloadUrlLifetime, onlyWithToken = false } = {}): string => urlOf({
      purpose: 'download',
      fileId,
      expires: expiry(Math.min(lifetime, downloadUrlLifetime)),
      key: onlyWithToken ? ONLY_WITH_TOKEN : undefined
    }),
    /**
     * URL to which the document server sends callbacks for a file: with the given document key only, or with any key
     * made for the file.
     */
    callback: (fileId: string, key?: string): string => urlOf({ purpose: 'callback', fileId, key }),
    /** URL at which the document server downloads a version of a file, or the data of the changes that led to it. */
    version (fileId: string, version: number, part: 'content' | 'changes'): string {
      const expires = expiry()
      const signature = signer.sign({ purpose: 'version', fileId, expires, key: partOfVersion(String(version), part) })
      const query = { action: 'download', fileId, version: String(version), part }
      return `${base()}?${new URLSearchParams({ ...query, ...(signedUrls && { expires, signature }) })}`
    },
    /** Checks the signature in the query of a request. */
    checkSignature (
      purpose: 'callback' | 'download', fileId: string, { signature, expires, key, version, part }: SignatureQuery
    ): SignatureState {
      return purpose === 'download' && version !== undefined
        ? check({ purpose: 'version', fileId, expires, key: partOfVersion(version, part) }, signature)
        : check({ purpose, fileId, expires, key }, signature)
    },
    /**
     * The proxy token of a page, which sends it in a header of its proxy requests. `fileId` is `''` for a page without
     * a stored file.
     */
    proxyToken: (fileId: string): string => tokenFor({ purpose: 'proxy', fileId, expires: expiry() }),
    checkProxyToken: (fileId: string, token: string | undefined): SignatureState =>
      checkToken({ purpose: 'proxy', fileId }, token),
    /** Proves that a page was offered something, such as a template. */
    offerToken: (page: string, id: string): string =>
      tokenFor({ purpose: 'offer', fileId: page, expires: expiry(OFFER_LIFETIME_MS), key: id }),
    isOffered: (page: string, id: string, token: string): boolean =>
      checkToken({ purpose: 'offer', fileId: page, key: id }, token) === 'valid',
    /**
     * URL of a probe of the doctor, at which the handler only answers. It is always signed, for a purpose of its own:
     * it opens no file, and a signature for a file is not valid for a probe.
     */
    probe (id: string): string {
      const expires = expiry(PROBE_LIFETIME_MS)
      const signature = signer.sign({ purpose: 'probe', fileId: id, expires })
      return `${base()}/probe?${new URLSearchParams({ id, expires, signature })}`
    },
    isProbe: (id: string, { signature, expires }: SignatureQuery): boolean =>
      check({ purpose: 'probe', fileId: id, expires }, signature) === 'valid',
    /** Proves that an instance of this application has answered a probe with this content. */
    signProbeAnswer: (id: string, content: string): string =>
      signer.sign({ purpose: 'probe-answer', fileId: id, key: content }),
    isProbeAnswer: (id: string, content: string, signature: string): boolean =>
      signer.verify({ purpose: 'probe-answer', fileId: id, key: content }, signature),
    /**
     * Whether `url`, however it is percent-encoded, is the URL of a request for a file. `requestTarget` is the
     * request's path with its query.
     */
    isUrlOfRequest (value: unknown, requestTarget: string, fileId: string): boolean {
      const url = typeof value === 'string' ? parseUrl(value) : undefined
      if (!url) return false
      const { origin, pathname } = new URL(base())
      const query = requestTarget.includes('?') ? requestTarget.slice(requestTarget.indexOf('?')) : ''
      return url.origin === origin && url.pathname === pathname &&
        url.searchParams.get('fileId') === fileId && sorted(url.searchParams) === sorted(new URLSearchParams(query))
    }
  }
}

function partOfVersion (version: string, part: string = 'content'): string {
  return `${version} ${part}`
}

function sorted (parameters: URLSearchParams): string {
  parameters.sort()
  return parameters.toString()
}

/** The fields that a signature covers, besides the URL of the handler. */
interface SignedUrl {
  /** A signature is valid for one purpose only. */
  readonly purpose: 'callback' | 'download' | 'version' | 'proxy' | 'page' | 'offer' | 'probe' | 'probe-answer'
  readonly fileId: string
  /** Seconds since the epoch, as in the URL. Without it the URL never expires. */
  readonly expires?: string | undefined
  /**
   * The only document key that the URL is for; without it, the URL is for any key of the file. For a version, its
   * number and part.
   */
  readonly key?: string | undefined
}

/** Separates these keys from others derived from the same secret. */
const KEY_PURPOSE = 'fastify-onlyoffice signed URL, version 1'

/**
 * Signs with HMAC-SHA256, under keys derived by HKDF (RFC 5869) from the secrets shared with the document server: a
 * leaked or guessed key does not reveal the secret. `scope` separates applications that share a secret.
 */
export function urlSigner (secrets: readonly string[], scope: () => string) {
  const keys = secrets.map(secret => createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', KEY_PURPOSE, 32))))

  function signatureOf (key: KeyObject, { purpose, fileId, expires, key: documentKey }: SignedUrl): string {
    const content = JSON.stringify([scope(), purpose, fileId, expires ?? null, documentKey ?? null])
    return createHmac('sha256', key).update(content).digest('base64url')
  }

  return {
    /** Signs with the first secret. */
    sign: (url: SignedUrl): string => signatureOf(keys[0]!, url),
    /** Whether the signature was made with any of the secrets. Compares in constant time. */
    verify: (url: SignedUrl, signature: string): boolean =>
      keys.some(key => equalInConstantTime(signature, signatureOf(key, url)))
  }
}

/** Compares two strings in a time that does not depend on where they differ. */
function equalInConstantTime (given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** The claims a page was made with. Only they determine its user and what the user may do. */
export interface PageClaims {
  /** ID of the page, which its later tokens share. */
  readonly page: string
  readonly fileId: string
  /** Title of the document. */
  readonly title: string
  /** The defaults that the page's control was made with. */
  readonly defaults: EditorControlDefaults
  /** The document key that the page got last. */
  readonly key: string
  /** Seconds since the epoch. */
  readonly expires: number
}

/** The claims for a new token. Without `page` the token is for a new page. */
type NewPageClaims = Omit<PageClaims, 'expires' | 'page'> & Partial<Pick<PageClaims, 'page'>>

type CheckedPageToken =
  | { readonly state: 'valid' | 'expired', readonly claims: PageClaims }
  | { readonly state: 'invalid', readonly claims?: undefined }
  | { readonly state: 'absent', readonly claims?: undefined }

interface PageTokenOptions {
  readonly secrets: readonly string[]
  /** URL of the handler, which separates applications that share a secret. */
  readonly scope: () => string
  /** Milliseconds for which a token is valid. */
  readonly tokenLifetime: number
  readonly clock: EditorClock
  /**
   * Called for a page whose token would be too long with the fields in `leftOut`. `fits`: whether it is short enough
   * without them.
   */
  readonly onLeftOut?: (about: { readonly fileId: string, readonly leftOut: string[] }, fits: boolean) => void
}

/**
 * The usual limit of web servers for one header. About 30 KiB of configuration have this length after compression and
 * encoding.
 */
const MAX_LENGTH = 8000
/** The minimum for any lifetime, however short. */
const MIN_RENEW_MS = 1000
const MAX_CLAIMS_BYTES = 1024 ** 2
/** Characters of JSON. Of a token that is too long, longer data of the user is left out, as little as possible. */
const VALUE_LIMITS = [MAX_LENGTH, 2000, 500, 100]

/** The tokens of editor pages: signed, not encrypted. */
export type PageTokens = ReturnType<typeof pageTokens>

export function pageTokens ({ secrets, scope, tokenLifetime, clock, onLeftOut }: PageTokenOptions) {
  const signer = urlSigner(secrets, scope)
  /** No other purpose combines an empty fileId with a key. */
  const signedAs = (payload: string) => ({ purpose: 'page', fileId: '', key: payload }) as const

  function tokenOf (claims: string): string {
    if (Buffer.byteLength(claims) > MAX_CLAIMS_BYTES) return ''
    const payload = deflateRawSync(claims).toString('base64url')
    const token = `${payload}.${signer.sign(signedAs(payload))}`
    return token.length > MAX_LENGTH ? '' : token
  }

  return {
    /** Milliseconds after which a page renews its token, early enough to retry. */
    renewAfter: Math.max(MIN_RENEW_MS, Math.round(tokenLifetime / 2)),
    /** Leaves out long data of the user. `''` if the token would be too long for a header even so. */
    make ({ page = randomBytes(9).toString('base64url'), fileId, title, defaults, key }: NewPageClaims): string {
      const expires = Math.ceil((clock.now() + tokenLifetime) / 1000)
      const tokenWith = (defaults: EditorControlDefaults) =>
        tokenOf(JSON.stringify({ page, fileId, title, defaults, key, expires } satisfies PageClaims))
      const whole = tokenWith(defaults)
      if (whole !== '') return whole
      const plain = JSON.parse(JSON.stringify(defaults)) as EditorControlDefaults
      let leftOut: string[] = []
      let token = ''
      for (const limit of VALUE_LIMITS) {
        leftOut = []
        token = tokenWith(withoutLong(plain, limit, leftOut))
        if (token !== '') break
      }
      onLeftOut?.({ fileId, leftOut }, token !== '')
      return token
    },
    check (token: string | undefined): CheckedPageToken {
      if (token === undefined) return { state: 'absent' }
      const dot = token.indexOf('.')
      const payload = token.slice(0, Math.max(dot, 0))
      // Only tokens made by this application are decompressed.
      if (token.length > MAX_LENGTH || !signer.verify(signedAs(payload), token.slice(dot + 1))) {
        return { state: 'invalid' }
      }
      const claims = JSON.parse(
        inflateRawSync(Buffer.from(payload, 'base64url'), { maxOutputLength: MAX_CLAIMS_BYTES }).toString()
      ) as PageClaims
      return { state: claims.expires * 1000 < clock.now() ? 'expired' : 'valid', claims }
    }
  }
}

/**
 * Notes the names of the user's long strings and lists, such as pictures, in `leftOut`. Lists in the permissions
 * become empty: without them the user might do more. The id and the name stay.
 */
function withoutLong<Values extends object> (values: Values, limit: number, leftOut: string[], path = ''): Values {
  const inPermissions = path.startsWith('permissions.')
  return Object.fromEntries(Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
    if (isJsonObject(value)) return [[name, withoutLong(value, limit, leftOut, `${path}${name}.`)]]
    const mayGo = path.startsWith('user.')
      ? path + name !== 'user.id' && path + name !== 'user.name' && (typeof value === 'string' || Array.isArray(value))
      : inPermissions && Array.isArray(value)
    if (!mayGo || JSON.stringify(value).length <= limit) return [[name, value]]
    leftOut.push(path + name)
    return inPermissions ? [[name, []]] : []
  })) as Values
}
