import { MissingPackageError } from './errors.js'

/** Imports a package that only some functions need. Rejects with `FST_EDITOR_MISSING_PACKAGE` when it is not installed. */
export async function optional<Module> (purpose: string, name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') {
      throw new MissingPackageError(purpose, name, { cause: error })
    }
    throw error
  }
}

export const zip = () => optional('Reading and writing office packages', 'fflate', () => import('fflate'))
export const xml = () => optional('Reading office documents', '@xmldom/xmldom', () => import('@xmldom/xmldom'))
