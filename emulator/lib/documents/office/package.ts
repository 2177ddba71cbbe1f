import { type Content, openZip, unpack } from './zip.js'

/** The parts of an office package (a zip file), in order. */
export type OfficePackage = ReturnType<typeof openPackage>

/** Opens a package without unpacking it. Throws if it is not a package, too large or damaged. */
export function openPackage (bytes: Uint8Array) {
  const { entries } = openZip(bytes)
  /** A part is unpacked on each access. */
  const parts = {
    has: (part: string) => entries.has(part),
    keys: () => entries.keys(),
    get (part: string) {
      const entry = entries.get(part)
      return entry === undefined ? undefined : unpack(entry)
    }
  }

  return {
    parts,
    text (part: string): string | undefined {
      const content = parts.get(part)
      return content === undefined ? undefined : new TextDecoder().decode(content)
    },
    /**
     * The package with some parts replaced. New parts come last; `null` removes a part. The others keep their bytes.
     */
    withParts (contents: ReadonlyMap<string, Content | null>): Uint8Array {
      const zip = openZip(bytes)
      for (const [name, content] of contents) zip.set(name, content)
      return zip.bytes()
    }
  }
}
