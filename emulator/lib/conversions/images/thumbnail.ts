import { setImmediate } from 'node:timers/promises'
import type { ZipEntry } from '../../documents/office/zip/entry.js'
import { newEntry, writeZip } from '../../documents/office/zip/write.js'
import type { Convert } from '../converter/convert.js'
import { type Bitmap, scaled } from './bitmap.js'
import { encodeBmp } from './bmp.js'
import { encodeGif } from './gif.js'
import { encodeJpeg } from './jpeg.js'
import { drawnPages } from './pages.js'
import { decodePng, encodePng } from './png.js'

/** The field `thumbnail` of a conversion. Source: docs/document-server-protocol.md#conversion */
export interface Thumbnail {
  /** 0: exactly this width and height; 1: within them; 2: the size of the page at 96 dpi. */
  readonly aspect: 0 | 1 | 2
  /** Only the first page, or all pages in a zip file. */
  readonly first: boolean
  readonly width: number
  readonly height: number
}

export interface Image {
  readonly bytes: Uint8Array
  readonly extension: string
}

const MAX_SIZE = 2000
const DEFAULT_SIZE = 100

const ENCODERS: Readonly<Record<string, (image: Bitmap) => Buffer>> = {
  png: encodePng,
  jpg: encodeJpeg,
  gif: encodeGif,
  bmp: encodeBmp
}

export function isImage (extension: string): boolean {
  return Object.hasOwn(ENCODERS, extension)
}

/** Reads the field, which may be JSON in a string. What is missing or unusable has its default. */
export function thumbnailOf (given: unknown): Thumbnail {
  const { aspect, first, width, height } = Object(
    typeof given === 'string' && given !== '' ? JSON.parse(given) : given
  ) as Record<string, unknown>
  const sizeOf = (value: unknown) =>
    Number.isInteger(value) && Number(value) > 0 ? Math.min(Number(value), MAX_SIZE) : DEFAULT_SIZE
  return {
    aspect: aspect === 0 || aspect === 1 ? aspect : 2,
    first: first !== false,
    width: sizeOf(width),
    height: sizeOf(height)
  }
}

/**
 * An image of the first page, by LibreOffice if there is one, or a zip file with simple images of all pages. `null` if
 * the document can't be read.
 */
export async function imagesOf (
  convert: Convert,
  source: Uint8Array,
  from: string,
  to: string,
  thumbnail: Thumbnail
): Promise<Image | null> {
  const encoded = (page: Bitmap) => ENCODERS[to]!(fitted(page, thumbnail))
  if (!thumbnail.first) {
    const pages = drawnPages(from, source)
    if (pages === null) return null
    const entries: ZipEntry[] = []
    for (const page of pages) {
      await setImmediate() // let other requests run
      entries.push(newEntry(`image${entries.length + 1}.${to}`, encoded(page)))
    }
    return { bytes: writeZip(entries), extension: 'zip' }
  }
  const rendered = from === 'png' ? source : await convert(source, from, 'png')
  const page = (rendered === null ? null : decodePng(rendered)) ?? drawnPages(from, source)?.[0]
  return page === undefined ? null : { bytes: encoded(page), extension: to }
}

function fitted (page: Bitmap, { aspect, width, height }: Thumbnail): Bitmap {
  if (aspect === 2) return page
  if (aspect === 0) return scaled(page, width, height)
  const scale = Math.min(width / page.width, height / page.height)
  return scaled(page, Math.max(Math.round(page.width * scale), 1), Math.max(Math.round(page.height * scale), 1))
}
