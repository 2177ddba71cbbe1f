// Source of all offsets and signatures: APPNOTE.TXT, the specification of the zip format.
export const END = 0x06054b50
export const ENTRY = 0x02014b50
export const LOCAL = 0x04034b50
export const END_BYTES = 22
export const ENTRY_BYTES = 46
export const LOCAL_BYTES = 30
export const STORED = 0
export const DEFLATED = 8

/** A file in a zip file, in compressed form. */
export interface ZipEntry {
  readonly name: string
  readonly rawName: Uint8Array
  readonly flags: number
  readonly method: number
  /** Date and time in the format of zip files. */
  readonly modified: number
  readonly crc: number
  /** The uncompressed size in bytes. */
  readonly size: number
  readonly packed: Uint8Array
  readonly attributes: number
}
