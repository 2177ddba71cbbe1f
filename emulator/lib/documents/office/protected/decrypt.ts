import { createDecipheriv, createHash } from 'node:crypto'
import { compoundStreams } from './compound-file.js'

// Source: MS-OFFCRYPTO, "agile" encryption, that of Office since 2010.
// The package officecrypto-tool has no limit of rounds.

/** Office suites write 100,000, which take a tenth of a second. */
const MAX_ROUNDS = 200_000
const SEGMENT_BYTES = 4096
const AGILE = 0x00040004
const BLOCK_KEYS = { verifier: 'fea7d2763b4b9e79', verifierHash: 'd7aa0f6d3061344e', key: '146e0be7abacd0d6' } as const

/**
 * Decrypts a protected Office Open XML file. Returns `null` if the password is wrong, or if the file is protected in
 * another way. Throws if the file is malformed.
 */
export function decrypted (bytes: Uint8Array, password: string): Buffer | null {
  const stream = compoundStreams(bytes)
  const info = stream('EncryptionInfo')
  const encrypted = stream('EncryptedPackage')
  if (info === undefined || encrypted === undefined) return null
  const decrypt = info.readUInt32LE() === AGILE ? agile(info.subarray(8).toString('utf8'), password) : null
  if (decrypt === null) return null
  const size = encrypted.readUInt32LE()
  return decrypt(encrypted.subarray(8)).subarray(0, size)
}

type Decrypt = (encrypted: Buffer) => Buffer

/** AES in CBC mode, in segments. The key is random and encrypted with one made from the password. */
function agile (xml: string, password: string): Decrypt | null {
  const keyData = attributesOf(xml, 'keyData')
  const encryptor = attributesOf(xml, 'p:encryptedKey')
  const rounds = Number(encryptor('spinCount'))
  if (!(rounds <= MAX_ROUNDS)) return null
  const algorithm = hashName(encryptor('hashAlgorithm'))
  const keyBytes = Number(encryptor('keyBits')) >> 3
  const salt = Buffer.from(encryptor('saltValue'), 'base64')
  const stretchedKey = stretched(algorithm, salt, password, rounds)
  const opened = (blockKey: string, value: string) =>
    decipher(
      `aes-${keyBytes * 8}-cbc`,
      sized(hashed(algorithm, stretchedKey, Buffer.from(blockKey, 'hex')), keyBytes),
      sized(salt, 16),
      Buffer.from(encryptor(value), 'base64')
    )

  const input = hashed(algorithm, opened(BLOCK_KEYS.verifier, 'encryptedVerifierHashInput').subarray(0, salt.length))
  if (!opened(BLOCK_KEYS.verifierHash, 'encryptedVerifierHashValue').subarray(0, input.length).equals(input)) {
    return null
  }

  const key = opened(BLOCK_KEYS.key, 'encryptedKeyValue').subarray(0, keyBytes)
  const packageSalt = Buffer.from(keyData('saltValue'), 'base64')
  const packageHash = hashName(keyData('hashAlgorithm'))
  return encrypted =>
    Buffer.concat(Array.from({ length: Math.ceil(encrypted.length / SEGMENT_BYTES) }, (_, index) => {
      const segment = encrypted.subarray(index * SEGMENT_BYTES, (index + 1) * SEGMENT_BYTES)
      return decipher(
        `aes-${keyBytes * 8}-cbc`,
        key,
        sized(hashed(packageHash, packageSalt, littleEndian(index)), 16),
        segment
      )
    }))
}

function stretched (algorithm: string, salt: Buffer, password: string, rounds: number): Buffer {
  let hash = hashed(algorithm, salt, Buffer.from(password, 'utf16le'))
  for (let round = 0; round < rounds; round++) hash = hashed(algorithm, littleEndian(round), hash)
  return hash
}

function hashed (algorithm: string, ...parts: readonly Buffer[]): Buffer {
  const hash = createHash(algorithm)
  for (const part of parts) hash.update(part)
  return hash.digest()
}

function decipher (algorithm: string, key: Buffer, iv: Buffer, encrypted: Buffer): Buffer {
  const cipher = createDecipheriv(algorithm, key, iv).setAutoPadding(false)
  const whole = encrypted.subarray(0, encrypted.length - encrypted.length % 16)
  return Buffer.concat([cipher.update(whole), cipher.final()])
}

/** Cut, or filled with 0x36. */
function sized (bytes: Buffer, length: number): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(length, 0x36)]).subarray(0, length)
}

function littleEndian (value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function attributesOf (xml: string, element: string): (name: string) => string {
  const [, attributes = ''] = new RegExp(`<${element}\\s([^>]*)>`).exec(xml) ?? []
  return name => new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? ''
}

function hashName (name: string): string {
  return /^SHA(1|256|384|512)$/i.test(name) ? name.toLowerCase() : 'sha1'
}
