import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Dispatcher } from 'undici'
import type { Answer } from './client.js'

/** Reads and decodes the whole body. Rejects with a `RangeError` when it exceeds the limit in bytes. */
export async function readAnswer (
  { statusCode, headers, body }: Dispatcher.ResponseData,
  limit: number
): Promise<Answer> {
  if (Number(headers['content-length']) > limit) {
    body.destroy()
    throw tooLarge(limit)
  }
  const bytes = decoded(await limited(body, limit), headers['content-encoding'], limit)
  if (bytes.length > limit) throw tooLarge(limit)
  return { status: statusCode, bytes }
}

function tooLarge (limit: number): RangeError {
  return new RangeError(`The answer exceeds ${limit} bytes`)
}

async function limited (body: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > limit) throw tooLarge(limit)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function decoded (bytes: Buffer, encoding: string | string[] | undefined, limit: number): Buffer {
  const options = { maxOutputLength: limit + 1 }
  switch (encoding) {
    case 'gzip': return gunzipSync(bytes, options)
    case 'deflate': return inflateSync(bytes, options)
    case 'br': return brotliDecompressSync(bytes, options)
    default: return bytes
  }
}
