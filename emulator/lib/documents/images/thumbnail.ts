import { setImmediate } from 'node:timers/promises'
import { zipOf } from '../office/zip.js'
import type { Convert } from '../converter/convert.js'
import { drawnPages, type Page } from './pages.js'
import { imageOf, pictureOf, shrunk } from './render.js'

/** How large images are, and of which pages. */
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

/**
 * An image of the first page, by LibreOffice if there is one, or a zip file with images of all pages, which show only
 * their text. `null` if the document can't be read.
 */
export async function imagesOf (
  convert: Convert,
  source: Uint8Array,
  from: string,
  to: string,
  thumbnail: Thumbnail
): Promise<Image | null> {
  if (!thumbnail.first) {
    const pages = drawnPages(from, source)
    if (pages === null) return null
    const images: Record<string, Uint8Array> = {}
    for (const [index, page] of pages.entries()) {
      await setImmediate() // let other requests run
      images[`image${index + 1}.${to}`] = await imageOf(page, ...sizeOf(page, thumbnail), to)
    }
    return { bytes: zipOf(images), extension: 'zip' }
  }
  const rendered = from === 'png' ? source : await convert(source, from, 'png')
  const picture = rendered === null ? null : await pictureOf(rendered)
  const page = picture ?? drawnPages(from, source, 1)?.[0]
  if (page === undefined) return null
  const size = sizeOf(page, thumbnail)
  const shown = picture === null ? page : await shrunk(picture, ...size)
  return { bytes: await imageOf(shown, ...size, to), extension: to }
}

function sizeOf (page: Page, { aspect, width, height }: Thumbnail): [width: number, height: number] {
  if (aspect === 2) return [page.width, page.height]
  if (aspect === 0) return [width, height]
  const scale = Math.min(width / page.width, height / page.height)
  return [Math.max(Math.round(page.width * scale), 1), Math.max(Math.round(page.height * scale), 1)]
}
