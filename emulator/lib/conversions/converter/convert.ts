import { textBlocks } from '../../documents/extract/extract.js'
import { layOut } from './pdf-layout.js'
import { isExtension, type OfficeConverter } from './libre-office.js'

/** Converts a document to another format. Resolves to `null` when it can't. */
export type Convert = (bytes: Uint8Array, from: string, to: string) => Promise<Uint8Array | null>

/** Converts with LibreOffice if there is one. Without it, the text of a document can become PDF or plain text. */
export function converter (office: OfficeConverter | null): Convert {
  return async (bytes, from, to) => {
    if (to !== '' && !isExtension(to)) return null
    if (from === to) return bytes
    if (office !== null) {
      const converted = await office(bytes, from, to)
      if (converted !== null) return converted
    }
    if (to !== 'pdf' && to !== 'txt') return null
    const blocks = textBlocks(from, bytes)
    if (blocks === null) return null
    return to === 'pdf' ? await layOut(blocks) : Buffer.from(blocks.map(({ text }) => `${text}\n`).join(''))
  }
}
