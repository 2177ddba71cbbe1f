import type { FastifyBaseLogger } from 'fastify'
import { SEPARATED } from '../../formats.js'
import { isExtension, type OfficeConverter } from './libre-office.js'

export type Convert = ReturnType<typeof converter>

/**
 * Converts with LibreOffice if there is one. Without it, the text of a document can become PDF or plain text, and
 * .xlsx and CSV each other. .tsv and .scsv are made of CSV.
 */
export function converter (office: OfficeConverter | null, log?: Pick<FastifyBaseLogger, 'warn'>) {
  const explained = new Set<string>()

  /** Converts a document to another format. Resolves to `null` when it can't. */
  async function convert (bytes: Uint8Array, from: string, to: string): Promise<Uint8Array | null> {
    if (to !== '' && !isExtension(to)) return null
    if (from === to) return bytes
    const separator = SEPARATED.get(to)
    if (separator !== undefined) {
      const csv = await convert(bytes, from, 'csv')
      return csv === null ? null : (await import('./sheets.js')).separatedBy(separator, csv)
    }
    if (office !== null) {
      const converted = await office(bytes, from, to)
      if (converted !== null) return converted
    }
    if (to === 'csv' && from === 'xlsx') return (await import('./sheets.js')).csvOf(bytes)
    if (to === 'xlsx' && from === 'csv') return (await import('./sheets.js')).workbookOf(bytes)
    if (to !== 'pdf' && to !== 'txt') return null
    const { textBlocks } = await import('../extract/extract.js')
    const blocks = textBlocks(from, bytes)
    if (blocks === null) return null
    if (to === 'txt') return Buffer.from(blocks.map(({ text }) => `${text}\n`).join(''))
    return await (await import('./pdf-layout.js')).layOut(blocks)
  }

  /** Logs why it can't, once for each pair of formats. */
  function explain (from: string, to: string): void {
    const pair = `${from} ${to}`
    if (explained.has(pair) || !isExtension(from) || !isExtension(to)) return
    explained.add(pair)
    const reason = office === null ? withoutOffice(from, to) : `LibreOffice could not convert ${from} to ${to}`
    log?.warn({ from, to }, reason)
  }

  return Object.assign(convert, { explain })
}

function withoutOffice (from: string, to: string): string {
  return `Converting ${from} to ${to} needs LibreOffice, and there is no soffice on the PATH, or it is switched off. ` +
    'Install it and start the emulator again: ' +
    'apt-get install libreoffice-writer libreoffice-calc libreoffice-impress libreoffice-draw (Debian, Ubuntu), ' +
    'brew install --cask libreoffice (macOS), winget install TheDocumentFoundation.LibreOffice (Windows). ' +
    'The option libreOffice names a soffice elsewhere.'
}
