import { createHash } from 'node:crypto'

export interface Digesting {
  readonly content: AsyncIterable<Uint8Array>
  /** SHA-256 in hex of all that was read; `undefined` when none is wanted. */
  hex (): string | undefined
}

/** Looks at the bytes that pass, if their digest is wanted. */
export function digesting (content: AsyncIterable<Uint8Array>, isWanted: boolean): Digesting {
  if (!isWanted) return { content, hex: () => undefined }
  const hash = createHash('sha256')
  let hex: string | undefined
  return {
    content: passing(),
    hex () {
      hex ??= hash.digest('hex')
      return hex
    }
  }

  async function * passing (): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      hash.update(chunk)
      yield chunk
    }
  }
}
