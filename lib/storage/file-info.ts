import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import type { ByteRange, FileInfo } from '../../types/storage.js'
import { InvalidNameError } from '../errors.js'

const EXTENSION = /^[0-9a-z]{1,16}$/i

/** An extension to store under, in lower case. Throws `FST_EDITOR_INVALID_NAME` when it can't be one. */
export function validExtension (extension: string): string {
  if (typeof extension !== 'string' || !EXTENSION.test(extension)) throw new InvalidNameError()
  return extension.toLowerCase()
}

/** Splits a name at its last dot; `undefined` when no extension follows it or nothing precedes it. */
export function splitName (name: string): { stem: string, extension: string } | undefined {
  const dot = name.lastIndexOf('.')
  const extension = name.slice(dot + 1)
  return dot > 0 && EXTENSION.test(extension) ? { stem: name.slice(0, dot), extension } : undefined
}

export function fileInfo (fileId: string, name: string, stats: BigIntStats): FileInfo {
  return {
    fileId,
    extension: name.slice(name.lastIndexOf('.') + 1).toLowerCase(),
    size: Number(stats.size),
    modifiedAt: stats.mtime,
    revision: revisionOf(stats)
  }
}

export function revisionOf ({ ino, size, mtimeNs }: BigIntStats): string {
  return createHash('sha256').update(`${ino}.${size}.${mtimeNs}`).digest('base64url').slice(0, 22)
}

/** First byte and number of bytes to read. Throws a `RangeError` unless the range lies within the file. */
export function sliceOf (size: number, range: ByteRange | undefined): { start: number, length: number } {
  if (!range) return { start: 0, length: size }
  const { start, end } = range
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start || end >= size) {
    throw new RangeError(`The range ${start}-${end} is not within the ${size} bytes of the file`)
  }
  return { start, length: end - start + 1 }
}
