import { posix } from 'node:path'
import type { OfficePackage } from '../office/package.js'

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', bmp: 'image/bmp', webp: 'image/webp'
}
/** Of all pictures together. The others are shown as a frame. */
const MAX_BYTES = 8 * 1024 * 1024

/** The pictures of a package as browsers show them. */
export function pictureSources (office: OfficePackage, folder: string) {
  let bytes = 0

  return {
    /** `null` for a picture that browsers don't show. @param target relative to the folder */
    dataUrl (target: string | undefined): string | null {
      const part = posix.join(folder, target ?? '')
      const type = MEDIA_TYPES[posix.extname(part).slice(1).toLowerCase()]
      const content = type === undefined ? undefined : contentOf(part)
      if (content === undefined || bytes + content.length > MAX_BYTES) return null
      bytes += content.length
      return `data:${type};base64,${Buffer.from(content).toString('base64')}`
    }
  }

  function contentOf (part: string): Uint8Array | undefined {
    try {
      return office.parts.get(part)
    } catch {
      return undefined // it is damaged, which affects only itself
    }
  }
}

export type Pictures = ReturnType<typeof pictureSources>
