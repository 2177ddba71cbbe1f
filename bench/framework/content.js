// Contents of documents that tell which save they are of, so that a row can check what was stored.
import { open, stat } from 'node:fs/promises'

const BLOCK = 64 * 1024

/**
 * @param {number} size
 * @param {number} number of the save
 */
export function * content (size, number) {
  const block = Buffer.alloc(Math.min(BLOCK, size), `content ${number}, `)
  for (let made = 0; made < size; made += block.length) yield block.subarray(0, size - made)
}

/**
 * Rejects if the file has anything but this content.
 * @param {string} path
 * @param {number} size
 * @param {number} number
 */
export async function checkFile (path, size, number) {
  const { size: stored } = await stat(path)
  if (stored !== size) throw new Error(`${path} has ${stored} bytes instead of ${size}`)
  const file = await open(path)
  try {
    const buffer = Buffer.alloc(BLOCK)
    for (const expected of content(size, number)) {
      const { bytesRead } = await file.read(buffer, 0, expected.length)
      if (!buffer.subarray(0, bytesRead).equals(expected)) {
        throw new Error(`${path} is not what save ${number} contained`)
      }
    }
  } finally {
    await file.close()
  }
}
