import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import { posix } from 'node:path'
import mime from 'mime'
import type { Time } from '../clock/time.js'

export interface ResultFile {
  readonly bytes: Uint8Array
  readonly mediaType: string
  /** In milliseconds since the epoch. */
  readonly modifiedAt: number
}

interface KeptFile extends ResultFile {
  readonly keptSince: number
}

export type ResultFiles = ReturnType<typeof resultFiles>

const LIFETIME_SECONDS = 900

/** As long as the conversions that refer to the files. */
const KEPT_MS = 86_400_000

/** Source: recorded. A text file has no charset, JSON has one. */
function mediaTypeOf (extension: string): string {
  return extension === 'json'
    ? 'application/json; charset=utf-8'
    : mime.getType(extension) ?? 'application/octet-stream'
}

/** The path as a web server sees it: that is what is signed. Source: observed. */
function decoded (path: string): string {
  return posix.normalize(decodeURIComponent(path))
}

let folders = randomInt(9000)

/** A new folder for the results of a document: its key and a number of four digits, as in the recorded URLs. */
export function resultFolder (key: string): string {
  // Counted, not random: with equal numbers the second save of a document would replace the first.
  return `data/${key}_${1000 + folders++ % 9000}`
}

/** Files behind signed, expiring URLs. Path and expiry are signed, the host is not. */
export function resultFiles (secret: string, time: Time) {
  const files = new Map<string, KeptFile>()

  function signature (path: string, expires: string): string {
    return createHmac('sha256', secret).update(`${expires}${path}`).digest().subarray(0, 16).toString('base64url')
  }

  return {
    /**
     * Keeps a file in a folder below `/cache/files/`. `name` is not encoded. It was modified now, unless it is older.
     * Returns the path for `urlOf`.
     */
    put (folder: string, name: string, bytes: Uint8Array, extension: string, modifiedAt = time.now()): string {
      // Source: observed. An unencoded slash would separate folders.
      const path = `/cache/files/${folder}/${encodeURIComponent(name.replaceAll('/', '%2f'))}`
      const key = decoded(path)
      files.delete(key)
      for (const [oldest, { keptSince }] of files) {
        if (time.now() - keptSince <= KEPT_MS) break
        files.delete(oldest)
      }
      files.set(key, { bytes, mediaType: mediaTypeOf(extension), modifiedAt, keptSince: time.now() })
      return path
    },
    /** A newly signed URL for a path that `put` returned, valid for 15 minutes. */
    urlOf (path: string, baseUrl: string, shardKey: string): string {
      const expires = String(time.seconds() + 1 + LIFETIME_SECONDS)
      const fileName = path.slice(path.lastIndexOf('/') + 1)
      return `${baseUrl}${path}?md5=${signature(decoded(path), expires)}&expires=${expires}&shardkey=${encodeURIComponent(shardKey)}&filename=${fileName}`
    },
    /** The file at a path that `put` returned, unless it was removed. */
    at: (path: string): ResultFile | undefined => files.get(decoded(path)),
    /** Looks up the file for the path and query of a request. */
    find (url: string): ResultFile | 'forbidden' | 'expired' | 'missing' {
      const [given = '', ...query] = url.split('?')
      const path = decoded(given)
      // Only the first parameter of a name counts: the base of a callback may bring those of another file.
      const parameters = new URLSearchParams(query.join('?'))
      const md5 = parameters.get('md5') ?? ''
      const expires = Number.parseInt(parameters.get('expires') ?? '')
      if (md5 === '' || !expires) return 'forbidden'
      // Source: observed. The expiry is checked before the signature.
      if (expires < time.seconds()) return 'expired'
      const sent = Buffer.from(md5)
      const expected = Buffer.from(signature(path, String(expires)))
      if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return 'forbidden'
      return files.get(path) ?? 'missing'
    }
  }
}
