import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** What `scripts/bundle-page.js` has made of lib/browser. */
export const MODULES = fileURLToPath(new URL('../assets/', import.meta.url))

/** The name of a module, and the hash of its content. */
export const MODULE_FILE = /^([a-z]+(?:-[a-z]+)*)(?:-([0-9a-f]{12}))?\.js$/

/** The files of the modules, by their names without a hash. */
export type PageModules = ReadonlyMap<string, string>

export async function readPageModules (): Promise<PageModules> {
  const files = await readdir(MODULES)
  return new Map(files.flatMap(file => {
    const [, name, hash] = MODULE_FILE.exec(file) ?? []
    return name !== undefined && hash !== undefined ? [[name, file]] : []
  }))
}
