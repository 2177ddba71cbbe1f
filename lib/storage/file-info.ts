import { hash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import type { FileInfo } from '../../types/storage.js'
import { EXTENSION } from '../document-server/formats.js'
import { InvalidNameError } from '../errors.js'

/** The extension in lower case. Throws `InvalidNameError` if a document cannot have it. */
export function storedExtension (extension: string): string {
  if (typeof extension !== 'string' || !EXTENSION.test(extension)) throw new InvalidNameError()
  return extension.toLowerCase()
}

/** Splits a name at its last dot. Returns `undefined` if no valid extension follows the dot or nothing precedes it. */
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
  return hash('sha256', `${ino}.${size}.${mtimeNs}`, 'base64url').slice(0, 22)
}
