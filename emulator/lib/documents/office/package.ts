import { type Content, openZip, unpack } from './zip.js'

/** The parts of an office package (a zip file), in order. */
export interface OfficePackage {
  /** A part is unpacked on each access. */
  readonly parts: Pick<ReadonlyMap<string, Uint8Array>, 'get' | 'has' | 'keys'>
  text (part: string): string | undefined
  /** The package with one part replaced. All other parts keep their bytes and order. */
  withPart (part: string, content: string): Uint8Array
  /** The package with several parts replaced. New parts come last; `null` removes a part. */
  withParts (contents: ReadonlyMap<string, Content | null>): Uint8Array
}

/** Opens a package without unpacking it. Throws if it is not a package, too large or damaged. */
export function openPackage (bytes: Uint8Array): OfficePackage {
  const { entries } = openZip(bytes)
  const parts = {
    has: (part: string) => entries.has(part),
    keys: () => entries.keys(),
    get (part: string) {
      const entry = entries.get(part)
      return entry === undefined ? undefined : unpack(entry)
    }
  }

  function withParts (contents: ReadonlyMap<string, Content | null>): Uint8Array {
    const zip = openZip(bytes)
    for (const [name, content] of contents) zip.set(name, content)
    return zip.bytes()
  }

  return {
    parts,
    text (part) {
      const content = parts.get(part)
      return content === undefined ? undefined : new TextDecoder().decode(content)
    },
    withPart: (part, content) => withParts(new Map([[part, content]])),
    withParts
  }
}
