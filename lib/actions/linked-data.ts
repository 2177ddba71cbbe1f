import type { FileInfo } from '../../types/storage.js'
import { InvalidActionError } from '../errors.js'
import { withoutUndefined } from '../util/validate.js'
import { type ActionServices, callHook, type PageAction } from './action.js'
import { pageOf } from './page-links.js'
import type { Linked } from './requests.schema.js'
import { isReferencedFile } from './results.compiled.js'

/** The application need not say whether there is a file that the user may not read. */
const NOT_FOUND = { error: 'The linked file was not found' } as const

/**
 * The file that a cell links to, as the argument of `setReferenceData`, with the data as they are in the editors now,
 * and the URL of its page.
 */
const reference: PageAction<'reference'> = {
  name: 'reference',
  summary: 'Find the file that a cell links to',
  needs: 'any',
  option: 'reference',
  cost: 1,
  async run (page, services) {
    const { storage, createControl, sign, instanceId } = services
    const { path, referenceData, link } = page.body
    const { preset } = page.claims.defaults
    if ((path ?? referenceData ?? link) === undefined) {
      throw new InvalidActionError('it names no file: path, link or referenceData is needed')
    }
    const file = await callHook(services, 'reference', page, { ...linkedOf(page.body), link }, {
      isResult: isReferencedFile,
      expected: '{ fileId, name } or null'
    })
    const info = file && await storage.stat(file.fileId)
    if (!info) return NOT_FOUND
    const { fileId, extension: fileType } = info
    const control = createControl({ mode: 'view', ...(preset && { preset }) }, page.request)
    const { documentKey: key, documentName, documentUrl: url } =
      await control.openDocument(fileId, { name: file.name })
    const linked = { fileType, key, path: documentName, url, referenceData: { fileKey: fileId, instanceId } }
    return { ...sign('setReferenceData', linked), page: await pageOf(services, fileId) }
  }
}

export const linkedDataActions = [reference]

/** The argument of `setReferenceSource`. */
export function referenceSource (
  { sign, keys, instanceId }: ActionServices, info: FileInfo, path: string, url: string
): object {
  const { fileId, extension: fileType } = info
  const referenceData = { fileKey: fileId, instanceId }
  return sign('setReferenceSource', { fileType, key: keys.of(info), path, url, referenceData })
}

/** Without other fields. */
export function linkedOf ({ path, referenceData }: Linked) {
  const { fileKey, instanceId } = referenceData ?? {}
  return { path, referenceData: referenceData && withoutUndefined({ fileKey, instanceId }) }
}
