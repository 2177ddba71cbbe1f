import { assertBytes } from '../content.js'

export interface Inspection {
  /** How many bytes at the beginning `atStart` needs, if there are so many. */
  readonly startReach: number
  /** How many bytes at the end `atEnd` gets, if there are so many. */
  readonly endReach: number
  /** Called before the first byte is passed on. Throws to refuse the content. */
  atStart (start: Buffer): void
  /** Called after the last byte was passed on. Throws to make the content fail. */
  atEnd (content: InspectedContent): void
}

export interface InspectedContent {
  /** The first bytes, at least `startReach` if there are so many. */
  readonly start: Buffer
  /** The last bytes, at least `endReach` if there are so many. */
  readonly end: Buffer
  /** Bytes in all. */
  readonly length: number
}

/** Passes content on and looks at its first and last bytes. */
export async function * inspected (content: AsyncIterable<Uint8Array>, { startReach, endReach, atStart, atEnd }: Inspection): AsyncGenerator<Uint8Array> {
  const tail = createTail(endReach)
  let start = Buffer.alloc(0)
  let length = 0
  let hasStarted = false
  for await (const chunk of content) {
    assertBytes(chunk)
    tail.add(chunk)
    length += chunk.length
    if (hasStarted) {
      yield chunk
      continue
    }
    start = Buffer.concat([start, chunk])
    if (start.length < startReach) continue
    atStart(start)
    hasStarted = true
    yield start
  }
  if (!hasStarted) {
    atStart(start)
    yield start
  }
  atEnd({ start, end: tail.bytes(), length })
}

/** The last bytes of what is added. They are copied: a chunk of one byte may belong to a buffer of 64 KiB. */
function createTail (reach: number) {
  const buffer = Buffer.allocUnsafe(2 * reach)
  let filled = 0
  return {
    add (chunk: Uint8Array): void {
      const added = chunk.length > reach ? chunk.subarray(-reach) : chunk
      if (filled + added.length > buffer.length) {
        buffer.copyWithin(0, filled - reach, filled)
        filled = reach
      }
      buffer.set(added, filled)
      filled += added.length
    },
    bytes: (): Buffer => buffer.subarray(0, filled)
  }
}
