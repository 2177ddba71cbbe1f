import type { Choice } from '../../types/actions.js'
import type { SignedMethods } from '../../types/signed-data.js'
import type { FileInfo } from '../../types/storage.js'
import { type ActionServices, callHook, MAX_CHOICES, type PageAction } from './action.js'
import { linkedOf, referenceSource } from './linked-data.js'
import { isChoices } from './results.compiled.js'

/** A file that the user may choose, and that the document server then fetches. */
interface ChosenFile {
  readonly name: string
  readonly fileType: string
  readonly url: string
  /** Of a file in the storage. */
  readonly info?: FileInfo
}

/**
 * The document server fetches what a user has chosen at once. The page has the URLs of all others, too, which nobody
 * asked for.
 */
const CHOICE_LIFETIME_MS = 10 * 60_000

/** Looked up at the same time. */
const BATCH = 20

const EXPECTED = {
  isResult: isChoices,
  expected: 'a list of { name, fileId } or { name, fileType, url }, with http(s) URLs'
}

/** Images to insert, each with the argument of `insertImage`. */
const images: PageAction<'images'> = {
  name: 'images',
  summary: 'List images to insert',
  needs: 'edit',
  option: 'images',
  cost: 1,
  async run (page, services) {
    const { c, search } = page.body
    const found = await callHook(services, 'images', page, { search }, EXPECTED)
    return await choicesFrom(found, services, ({ fileType, url }) =>
      services.sign('insertImage', { c, images: [{ fileType, url }] as SignedMethods['insertImage']['images'] }))
  }
}

/** Documents to compare or combine with, or to insert text from, each with the argument of `setRequestedDocument`. */
const documents: PageAction<'documents'> = {
  name: 'documents',
  summary: 'List documents to compare or combine with, or to insert text from',
  needs: 'edit',
  option: 'documents',
  cost: 1,
  async run (page, services) {
    const { c, search } = page.body
    const found = await callHook(services, 'documents', page, { purpose: c, search }, EXPECTED)
    return await choicesFrom(found, services, ({ fileType, url }) =>
      services.sign('setRequestedDocument', { c, fileType, url }))
  }
}

/**
 * Spreadsheets with recipients, or other sources of linked data, each with the argument of the method that takes it.
 */
const spreadsheets: PageAction<'spreadsheets'> = {
  name: 'spreadsheets',
  summary: 'List spreadsheets for a mail merge, or as sources of linked data',
  needs: 'edit',
  option: 'spreadsheets',
  cost: 1,
  async run (page, services) {
    const { c, search } = page.body
    const linked = c === 'reference' ? linkedOf(page.body) : {}
    const found = await callHook(services, 'spreadsheets', page, { purpose: c, search, ...linked }, EXPECTED)
    return await choicesFrom(found, services, ({ name, fileType, url, info }) => {
      if (c === 'mailmerge') return services.sign('setRequestedSpreadsheet', { c, fileType, url })
      return info
        ? referenceSource(services, info, name, url)
        : services.sign('setReferenceSource', { fileType, path: name, url })
    })
  }
}

export const choiceActions = [images, documents, spreadsheets]

/** `sign` makes the argument of the editor's method. */
async function choicesFrom (found: readonly Choice[], services: ActionServices, sign: (file: ChosenFile) => object) {
  const choices: object[] = []
  for (let start = 0; start < Math.min(found.length, MAX_CHOICES); start += BATCH) {
    const batch = found.slice(start, Math.min(start + BATCH, MAX_CHOICES))
    const files = await Promise.all(batch.map(choice => chosenFile(services, choice)))
    for (const [index, file] of files.entries()) {
      if (!file) continue
      const { name, fileType } = file
      choices.push({ name, fileType, thumbnail: batch[index]!.thumbnail, data: sign(file) })
    }
  }
  return { choices }
}

/** `undefined` for a file that was deleted meanwhile. */
async function chosenFile (
  { storage, urls }: ActionServices, { name, fileId, fileType, url }: Choice
): Promise<ChosenFile | undefined> {
  if (fileId === undefined) return { name, fileType: fileType.toLowerCase(), url }
  const info = await storage.stat(fileId)
  return info
    ? { name, fileType: info.extension, url: urls.download(info.fileId, { lifetime: CHOICE_LIFETIME_MS }), info }
    : undefined
}
