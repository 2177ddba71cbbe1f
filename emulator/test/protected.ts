import { createCipheriv, createHash, randomBytes } from 'node:crypto'

// Writes protected Office Open XML files as current office suites do ("agile" encryption). Source: MS-OFFCRYPTO,
// MS-CFB.

const SECTOR = 512
const FREE = 0xFFFFFFFF
const END = 0xFFFFFFFE

/** An Office Open XML file that only the password opens. Office suites hash the password in more rounds. */
export function protectedFile (bytes: Uint8Array, password: string, rounds = 1000): Buffer {
  const [salt, packageSalt, key, verifier] = [16, 16, 32, 16].map(size => randomBytes(size)) as [Buffer, Buffer, Buffer, Buffer]
  let hash = sha512(salt, Buffer.from(password, 'utf16le'))
  for (let round = 0; round < rounds; round++) hash = sha512(uint32(round), hash)
  const sealed = (blockKey: string, content: Buffer) => encrypted(sha512(hash, Buffer.from(blockKey, 'hex')).subarray(0, 32), salt, content).toString('base64')
  const common = 'saltSize="16" blockSize="16" keyBits="256" hashSize="64" cipherAlgorithm="AES" cipherChaining="ChainingModeCBC" hashAlgorithm="SHA512"'
  const info = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><encryption xmlns="http://schemas.microsoft.com/office/2006/encryption" xmlns:p="http://schemas.microsoft.com/office/2006/keyEncryptor/password"><keyData ${common} saltValue="${packageSalt.toString('base64')}"/><keyEncryptors><keyEncryptor uri="http://schemas.microsoft.com/office/2006/keyEncryptor/password"><p:encryptedKey spinCount="${rounds}" ${common} saltValue="${salt.toString('base64')}" encryptedVerifierHashInput="${sealed('fea7d2763b4b9e79', verifier)}" encryptedVerifierHashValue="${sealed('d7aa0f6d3061344e', sha512(verifier))}" encryptedKeyValue="${sealed('146e0be7abacd0d6', key)}"/></keyEncryptor></keyEncryptors></encryption>`
  const segments = Array.from({ length: Math.ceil(bytes.length / 4096) }, (_, index) =>
    encrypted(key, sha512(packageSalt, uint32(index)).subarray(0, 16), bytes.subarray(index * 4096, (index + 1) * 4096)))
  return compoundFile({
    EncryptionInfo: Buffer.concat([uint32(0x00040004), uint32(0x40), Buffer.from(info)]),
    EncryptedPackage: Buffer.concat([uint32(bytes.length), uint32(0), ...segments])
  })
}

function encrypted (key: Buffer, iv: Buffer, content: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-cbc', key, iv).setAutoPadding(false)
  return Buffer.concat([cipher.update(padded(content, 16)), cipher.final()])
}

/** Without small sectors: no stream is small. */
function compoundFile (streams: Readonly<Record<string, Buffer>>): Buffer {
  const contents = Object.entries(streams).map(([name, content]) => ({ name, size: content.length, sectors: padded(content, SECTOR) }))
  const table: number[] = [0xFFFFFFFD] // the sector of the table itself
  const entries = [entry('Root Entry', 5, END, 0, 1)]
  const body: Buffer[] = []
  const add = (sectors: Buffer): number => {
    const first = table.length
    for (let left = sectors.length / SECTOR; left > 0; left--) table.push(left === 1 ? END : table.length + 1)
    body.push(sectors)
    return first
  }
  for (const [index, { name, size, sectors }] of contents.entries()) {
    entries.push(entry(name, 2, add(sectors), size, index + 2 <= contents.length ? index + 2 : FREE))
  }
  const directory = add(padded(Buffer.concat(entries), SECTOR))
  const header = Buffer.alloc(SECTOR, 0xFF)
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header)
  header.fill(0, 8, 76)
  for (const [at, value] of [[24, 0x3E], [26, 3], [28, 0xFFFE], [30, 9], [32, 6]] as const) header.writeUInt16LE(value, at)
  for (const [at, value] of [[44, 1], [48, directory], [56, 0], [60, END], [68, END], [76, 0]] as const) header.writeUInt32LE(value, at)
  if (table.length > SECTOR / 4) throw new RangeError('The file is too large for one sector of the table')
  const first = Buffer.alloc(SECTOR, 0xFF)
  for (const [index, next] of table.entries()) first.writeUInt32LE(next, index * 4)
  return Buffer.concat([header, first, ...body])
}

function entry (name: string, type: number, start: number, size: number, next: number): Buffer {
  const bytes = Buffer.alloc(128)
  bytes.write(name, 'utf16le')
  bytes.writeUInt16LE(name.length * 2 + 2, 64)
  bytes[66] = type
  for (
    const [at, value] of [[68, FREE], [72, type === 5 ? FREE : next], [76, type === 5 ? next : FREE], [116, start], [
      120,
      size
    ]] as const
  ) bytes.writeUInt32LE(value, at)
  return bytes
}

function padded (content: Uint8Array, size: number): Buffer {
  return Buffer.concat([content, Buffer.alloc((size - content.length % size) % size)])
}

function sha512 (...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha512')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

function uint32 (value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
