import AdmZip from 'adm-zip'

export type Content = string | Uint8Array

export type ZipEntry = AdmZip.IZipEntry

const LIMITS = { entries: 10_000, entryBytes: 64 * 1024 * 1024, allBytes: 256 * 1024 * 1024 }
const NO_ZIP = 'The file is damaged or not a zip file'
const HEADER_BYTES = 30
const STORED = 0
// The same bytes at any time.
const FIRST_DAY = new Date(1980, 0, 1)

const OPTIONS = {
  noSort: true,
  // adm-zip makes an entry for every folder, of which a name can have thousands. It finds none in these.
  decoder: { efs: true, encode: (name: string) => Buffer.from(name), decode: (name: Buffer) => name.toString('hex') }
}

/**
 * Opens a zip file without unpacking it. Throws if it is not a zip file, or would unpack to more than the limits.
 */
export function openZip (bytes: Uint8Array) {
  const zip = understood(NO_ZIP, () =>
    new AdmZip(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), OPTIONS))
  if (zip.getEntryCount() > LIMITS.entries) throw new RangeError(`The file has more than ${LIMITS.entries} parts`)
  const all = understood(NO_ZIP, () => zip.getEntries())
  assertLimits(all)
  const entries = new Map(all.map(entry => [entry.rawEntryName.toString(), entry]))

  return {
    /** By name, in order. */
    entries: entries as ReadonlyMap<string, ZipEntry>,
    /** Replaces or adds an entry, or removes it. All others keep their bytes and order. */
    set (name: string, content: Content | null): void {
      const entry = entries.get(name)
      const isRemoved = content === null || content.length === 0 // adm-zip would keep the bytes before
      if (entry !== undefined && isRemoved) zip.deleteFile(entry)
      if (content === null) return
      if (entry === undefined || isRemoved) add(zip, name, content)
      else replace(entry, content, entry.header.method === STORED)
    },
    bytes: (): Uint8Array => zip.toBuffer()
  }
}

/** Unpacks an entry. Stops at the announced size, however much the entry contains. */
export function unpack (entry: ZipEntry): Uint8Array {
  const problem = `${entry.rawEntryName.toString()} is damaged`
  const content = understood(problem, () => entry.getData())
  if (content.length !== entry.header.size) throw new TypeError(problem)
  return content
}

/** A new zip file. */
export function zipOf (contents: Readonly<Record<string, Content>>): Uint8Array {
  const zip = new AdmZip(undefined, OPTIONS)
  for (const [name, content] of Object.entries(contents)) add(zip, name, content)
  return zip.toBuffer()
}

function add (zip: AdmZip, name: string, content: Content): void {
  const entry = zip.addFile(name, Buffer.alloc(0))
  entry.header.time = FIRST_DAY
  replace(entry, content, false)
}

function replace (entry: ZipEntry, content: Content, isStored: boolean): void {
  entry.setData(Buffer.from(content))
  if (isStored) entry.header.method = STORED
}

/** Entries that share their bytes would make a small file unpack to a huge one. */
function assertLimits (entries: readonly ZipEntry[]): void {
  let [unpacked, end] = [0, 0]
  for (const { header, rawEntryName } of entries.toSorted((a, b) => a.header.offset - b.header.offset)) {
    unpacked += header.size
    if (header.size > LIMITS.entryBytes || unpacked > LIMITS.allBytes) {
      throw new RangeError(`${rawEntryName.toString()} unpacks to too many bytes`)
    }
    if (header.offset < end) throw new TypeError(NO_ZIP)
    end = header.offset + HEADER_BYTES + rawEntryName.length + header.compressedSize
  }
}

function understood<Result> (problem: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw new TypeError(`${problem}: ${(error as Error).message}`)
  }
}
