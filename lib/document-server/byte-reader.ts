import { setImmediate } from 'node:timers/promises'

/** Takes bytes out of a stream in the portions that its format wants. */
export interface ByteReader {
  /** Exactly so many bytes; `undefined` if the stream ends before. */
  take (count: number): Promise<Buffer | undefined>
  /** At least one byte and at most so many; `undefined` at the end. */
  takeUpTo (count: number): Promise<Buffer | undefined>
  /** Bytes that were taken and not used: they come next. */
  putBack (bytes: Buffer): void
}

/** Bytes that are taken before others get a turn: all of them may be in memory already. */
const TURN = 1024 ** 2

/** Copies only what is taken from several chunks at once. */
export function byteReader (content: AsyncIterable<Buffer>): ByteReader {
  const iterator = content[Symbol.asyncIterator]()
  /** What comes before the rest of the stream, the last one first. */
  const ahead: Buffer[] = []
  let takenInTurn = 0

  async function next (): Promise<Buffer | undefined> {
    const chunk = ahead.pop()
    if (chunk) return chunk
    const { done, value } = await iterator.next()
    return done === true ? undefined : value
  }

  async function takeUpTo (count: number): Promise<Buffer | undefined> {
    const chunk = await next()
    if (chunk === undefined) return undefined
    putBack(chunk.subarray(count))
    takenInTurn += Math.min(count, chunk.length)
    if (takenInTurn >= TURN) {
      takenInTurn = 0
      await setImmediate()
    }
    return chunk.subarray(0, count)
  }

  function putBack (bytes: Buffer): void {
    if (bytes.length > 0) ahead.push(bytes)
  }

  return {
    async take (count) {
      const chunks: Buffer[] = []
      for (let missing = count; missing > 0;) {
        const bytes = await takeUpTo(missing)
        if (bytes === undefined) return undefined
        chunks.push(bytes)
        missing -= bytes.length
      }
      return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
    },
    takeUpTo,
    putBack
  }
}
