import type { ForgottenFile } from '../sessions/parts.js'

type ForgottenFiles = Map<string, ForgottenFile>

/** The forgotten file of a key. An empty key stands for the folder of all: it gives somebody else's, the first. */
export function findForgotten (files: ForgottenFiles, key: string): [key: string, file: ForgottenFile] | undefined {
  const found = key === '' ? [...files.keys()].sort()[0] : key
  const file = found === undefined ? undefined : files.get(found)
  return file === undefined ? undefined : [found!, file]
}

/** Deletes the forgotten file of a key; of an empty key, all there are. False when there was none. */
export function deleteForgotten (files: ForgottenFiles, key: string): boolean {
  if (key !== '') return files.delete(key)
  const any = files.size > 0
  files.clear()
  return any
}
