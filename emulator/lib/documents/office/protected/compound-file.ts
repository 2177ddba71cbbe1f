// Source: MS-CFB. The package cfb runs out of memory at a chain of sectors that is a circle.

const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const END_OF_CHAIN = 0xFFFFFFFE
const FREE = 0xFFFFFFFF
const ENTRY_BYTES = 128
const STREAM = 2
const ROOT = 5

/** Whether a file is a compound file: an older office format, or a protected newer one. */
export function isCompoundFile (bytes: Uint8Array): boolean {
  return SIGNATURE.equals(bytes.subarray(0, SIGNATURE.length))
}

/**
 * Reads a stream of a compound file by its name; `undefined` if there is none. Throws a `RangeError` for a malformed
 * file.
 */
export function compoundStreams (bytes: Uint8Array): (name: string) => Buffer | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const sectorBytes = 1 << bounded(file.readUInt16LE(30), 7, 12)
  const smallBytes = 1 << bounded(file.readUInt16LE(32), 4, 10)
  const smallest = file.readUInt32LE(56)

  const sector = (index: number) => file.subarray((index + 1) * sectorBytes, (index + 2) * sectorBytes)
  const table = numbersIn(allocationSectors().map(sector))
  const entries = split(chained(file.readUInt32LE(48), table, sector), ENTRY_BYTES).map(entryOf)
  const root = entries.find(({ type }) => type === ROOT)
  const small = root === undefined ? Buffer.alloc(0) : chained(root.start, table, sector)
  const smallTable = numbersIn([chained(file.readUInt32LE(60), table, sector)])
  const smallSector = (index: number) => small.subarray(index * smallBytes, (index + 1) * smallBytes)

  /** The header has the first 109 sectors of the table; a chain of sectors has the others. */
  function allocationSectors (): number[] {
    const listed = numbersIn([file.subarray(76, 512)])
    const count = Math.ceil(file.length / sectorBytes)
    for (let next = file.readUInt32LE(68), left = count; next < FREE - 1 && left > 0; left--) {
      const numbers = numbersIn([sector(next)])
      next = numbers.pop() ?? END_OF_CHAIN
      listed.push(...numbers)
    }
    return listed.filter(index => index < count)
  }

  return name => {
    const entry = entries.find(entry => entry.type === STREAM && entry.name === name)
    if (entry === undefined) return undefined
    const content = entry.size < smallest
      ? chained(entry.start, smallTable, smallSector)
      : chained(entry.start, table, sector)
    return content.subarray(0, entry.size)
  }
}

function entryOf (entry: Buffer) {
  return {
    name: entry.subarray(0, Math.max(Math.min(entry.readUInt16LE(64), 64) - 2, 0)).toString('utf16le'),
    type: entry[66],
    start: entry.readUInt32LE(116),
    size: entry.readUInt32LE(120)
  }
}

/** The sectors of a chain, one after the other. */
function chained (start: number, table: readonly number[], sector: (index: number) => Buffer): Buffer {
  const sectors: Buffer[] = []
  for (let index = start; index < FREE - 1; index = table[index] ?? END_OF_CHAIN) {
    if (sectors.push(sector(index)) > table.length) throw new RangeError('The sectors of a stream form a circle')
  }
  return Buffer.concat(sectors)
}

function numbersIn (parts: readonly Buffer[]): number[] {
  return parts.flatMap(part => split(part, 4).map(number => number.readUInt32LE()))
}

function split (bytes: Buffer, size: number): Buffer[] {
  return Array.from(
    { length: Math.floor(bytes.length / size) },
    (_, index) => bytes.subarray(index * size, (index + 1) * size)
  )
}

function bounded (value: number, smallest: number, largest: number): number {
  if (value < smallest || value > largest) throw new RangeError('The file has no usable size of sectors')
  return value
}
