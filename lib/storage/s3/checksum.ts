import { crc32 } from 'node:zlib'

/** The CRC-32 of all bytes that were given to `add`, which an answer may announce. */
export function createChecksum (announced: string | undefined) {
  let value = 0
  return {
    add (bytes: Uint8Array): void {
      if (announced !== undefined) value = crc32(bytes, value)
    },
    isRight: () => announced === undefined || announced === textOf(value)
  }
}

export function checksumOf (bytes: Uint8Array): string {
  return textOf(crc32(bytes))
}

/** As headers contain it. */
function textOf (value: number): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes.toString('base64')
}
