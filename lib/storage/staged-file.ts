import { createReadStream } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { RevokedError } from '../errors.js'
import type { TempFile } from './durable-write.js'

/** What was staged. */
export async function * chunksOf (temp: TempFile): AsyncGenerator<Uint8Array> {
  try {
    yield * createReadStream(temp.path)
  } catch (error) {
    throw await isRevoked(temp, error) ? new RevokedError({ cause: error }) : error
  }
}

/** Another process may have taken this one for dead, and what it had staged away. */
export async function isRevoked ({ path }: TempFile, error: unknown): Promise<boolean> {
  return (error as NodeJS.ErrnoException).code === 'ENOENT' && !await lstat(path).then(() => true, () => false)
}
