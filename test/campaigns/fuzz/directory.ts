import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** In every file that no request may read. */
export const CANARY = 'a canary that nobody may see'

/** The documents, by fileId, with the extension of each. */
export const DOCUMENTS: Readonly<Record<string, string>> = { plain: 'docx', 'report é & 1#2+3%41': 'txt', '😀': 'xlsx' }

/** Files that are there under these names plus an extension, and are no documents. */
export const NOT_DOCUMENTS = ['.hidden', 'con', 'a:b', 'a|b', 'what?', 'a*', 'two\\parts', 'blank ', 'dot.', 'line\u2028', 'back\u202eward', 'control\u0007']

/** No file, or none in the directory. */
export const ELSEWHERE = ['link', 'folder', 'pipe', '../secret', '../outside/secret', 'folder/inner', '..', '.']

/** What the service's storage makes beside the documents: its folder, and for a moment the file that its sweep tries. */
const OWN = /^\.fastify-onlyoffice(~[-0-9a-f]{36})?$/

export const contentOf = (fileId: string) => `what is stored of ${fileId}`

export interface FuzzedDirectory {
  readonly root: string
  readonly uploads: string
  /**
   * Paths that are other than they were. Puts all back, and makes every document a new version that nobody has saved
   * yet.
   */
  changes (): string[]
}

/** An upload directory with documents, and with traps in it and beside it. */
export function createDirectory (root: string): FuzzedDirectory {
  const uploads = join(root, 'uploads')
  for (const name of ['outside', 'uploads/folder.docx']) mkdirSync(join(root, name), { recursive: true })
  for (const name of [
    'secret.docx',
    'outside/secret.docx',
    'uploads/folder.docx/inner.docx',
    ...NOT_DOCUMENTS.map(name => `uploads/${name}.docx`)
  ]) writeFileSync(join(root, name), CANARY)
  symlinkSync('../outside/secret.docx', join(uploads, 'link.docx'))
  execFileSync('mkfifo', [join(uploads, 'pipe.docx')])
  const documents = new Map(Object.entries(DOCUMENTS).map(([fileId, extension]) => [`uploads/${fileId}.${extension}`, fileId]))
  for (const [path, fileId] of documents) writeFileSync(join(root, path), contentOf(fileId))
  let time = Date.UTC(2020) / 1000
  let before = inventory(root)

  return {
    root,
    uploads,
    changes () {
      const now = inventory(root)
      const changed = [...new Set([...before.keys(), ...now.keys()])].filter(path => before.get(path) !== now.get(path))
      for (const path of changed) {
        const fileId = documents.get(path)
        if (fileId !== undefined) writeFileSync(join(root, path), contentOf(fileId))
        else if (!before.has(path)) rmSync(join(root, path), { recursive: true })
      }
      time++
      for (const path of documents.keys()) utimesSync(join(root, path), time, time)
      before = inventory(root)
      return changed
    }
  }
}

/** What tells a file from what it was before, by path. The service's own records are left out. */
function inventory (root: string, below = ''): Map<string, string> {
  const found = new Map<string, string>()
  for (const name of readdirSync(join(root, below))) {
    const path = join(below, name)
    if (OWN.test(name)) continue
    const { mtimeNs, size, ino, mode } = lstatSync(join(root, path), { bigint: true })
    const isDirectory = (mode & 0o170000n) === 0o040000n
    found.set(path, isDirectory ? 'directory' : `${ino} ${mode} ${size} ${mtimeNs}`)
    if (isDirectory) for (const [inner, state] of inventory(root, path)) found.set(inner, state)
  }
  return found
}
