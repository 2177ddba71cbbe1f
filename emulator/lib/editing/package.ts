import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'

/** The parts of an office package (a zip file), in their order. */
export interface OfficePackage {
  readonly parts: ReadonlyMap<string, Uint8Array>
  text (part: string): string | undefined
  /** The package with one part replaced: all other parts keep their bytes and their place. */
  withPart (part: string, content: string): Uint8Array
}

const MAX_PART_BYTES = 256 * 1024 * 1024

export function openPackage (bytes: Uint8Array): OfficePackage {
  const stored = new Set<string>()
  const parts = new Map(Object.entries(unzipSync(bytes, {
    filter (file) {
      if (file.originalSize > MAX_PART_BYTES) throw new RangeError(`${file.name} is too large`)
      if (file.compression === 0) stored.add(file.name)
      return true
    }
  })))

  return {
    parts,
    text (part) {
      const content = parts.get(part)
      return content === undefined ? undefined : strFromU8(content)
    },
    withPart (part, content) {
      const entries: Record<string, [Uint8Array, { level: 0 | 6 }]> = {}
      for (const [name, old] of parts) {
        entries[name] = [name === part ? strToU8(content) : old, { level: stored.has(name) ? 0 : 6 }]
      }
      return zipSync(entries)
    }
  }
}
