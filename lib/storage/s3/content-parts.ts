import { isUint8Array } from 'node:util/types'
import type { Content } from '../../../types/storage.js'
import { assertBytes } from '../../util/streams.js'

export interface Part {
  /** Part numbers start at 1. */
  readonly number: number
  readonly bytes: Buffer
  readonly isLast: boolean
}

interface ContentParts {
  readonly parts: AsyncGenerator<Part, void>
  /** Total size of all parts so far. */
  readonly size: number
  /** The error of reading the content itself. */
  readonly failure: { readonly error: unknown } | undefined
}

const PART_BYTES = 5 * 1024 * 1024

/**
 * The parts of an upload, copied because the owner of a chunk may reuse its buffer. There is always a last part, which
 * may be empty.
 */
export function partsOf (content: Content): ContentParts {
  const source = { size: 0, failure: undefined as ContentParts['failure'], parts: parts() }
  return source

  async function * parts (): AsyncGenerator<Part, void> {
    let number = 1
    let pieces: Buffer[] = []
    let length = 0
    try {
      for await (const chunk of isUint8Array(content) ? [content] : content) {
        assertBytes(chunk)
        for (let start = 0; start < chunk.length;) {
          if (length === PART_BYTES) {
            yield { number: number++, bytes: Buffer.concat(pieces), isLast: false }
            pieces = []
            length = 0
          }
          const piece = Buffer.from(chunk.subarray(start, start + PART_BYTES - length))
          pieces.push(piece)
          length += piece.length
          start += piece.length
          source.size += piece.length
        }
      }
    } catch (error) {
      source.failure = { error }
      throw error
    }
    yield { number, bytes: Buffer.concat(pieces), isLast: true }
  }
}
