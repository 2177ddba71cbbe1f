import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import CFB from 'cfb'

// Writes protected Office Open XML files as current office suites do ("agile" encryption). Source: MS-OFFCRYPTO.

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

function compoundFile (streams: Readonly<Record<string, Buffer>>): Buffer {
  const file = CFB.utils.cfb_new()
  for (const [name, content] of Object.entries(streams)) CFB.utils.cfb_add(file, `/${name}`, content)
  return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array)
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
