/** Takes bytes out of a stream in the portions that its format wants. */
export interface ByteReader {
  /** Exactly so many bytes; `undefined` if the stream ends before. */
  take (count: number): Promise<Buffer | undefined>
  /** At least one byte and at most so many; `undefined` at the end. */
  takeUpTo (count: number): Promise<Buffer | undefined>
  /** Bytes that were taken and not used: they come next. */
  putBack (bytes: Buffer): void
}

export function byteReader (content: AsyncIterable<Buffer>): ByteReader {
  const iterator = content[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)

  /** Reads until there are so many bytes, or no more. */
  async function fill (count: number): Promise<void> {
    while (rest.length < count) {
      const { done, value } = await iterator.next()
      if (done === true) return
      rest = rest.length === 0 ? value : Buffer.concat([rest, value])
    }
  }

  function cut (count: number): Buffer {
    const bytes = rest.subarray(0, count)
    rest = rest.subarray(count)
    return bytes
  }

  return {
    async take (count) {
      await fill(count)
      return rest.length < count ? undefined : cut(count)
    },
    async takeUpTo (count) {
      await fill(1)
      return rest.length === 0 ? undefined : cut(count)
    },
    putBack (bytes) { rest = Buffer.concat([bytes, rest]) }
  }
}
