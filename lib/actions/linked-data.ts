import type { ReferenceData } from '@onlyoffice/doceditor-types'
import type { EditorControl } from '../../types/control.js'
import type { FileInfo } from '../../types/storage.js'
import type { DocumentKeys } from '../document-server/document-key.js'
import type { Linked } from './requests.schema.js'
import type { SignMethod } from './signing.js'

/** Without other fields. */
export function linkedOf (
  { path, referenceData }: Linked
): { readonly path?: string, readonly referenceData?: ReferenceData } {
  const { fileKey, instanceId } = referenceData ?? {}
  return {
    ...(path !== undefined && { path }),
    ...(referenceData &&
      { referenceData: { ...(fileKey !== undefined && { fileKey }), ...(instanceId !== undefined && { instanceId }) } })
  }
}

/** Files that cells of a spreadsheet link to. */
export interface LinkedData {
  /** The argument of `setReferenceData`, with the data as they are in the editors now. */
  answer (control: EditorControl, info: FileInfo): object
  /** The argument of `setReferenceSource`. */
  source (info: FileInfo, name: string, url: string): object
}

interface Dependencies {
  readonly sign: SignMethod
  readonly keys: Pick<DocumentKeys, 'of'>
  /** Identifies this application in copied cells. */
  readonly instanceId: string
}

export function createLinkedData ({ sign, keys, instanceId }: Dependencies): LinkedData {
  const referenceTo = (fileId: string): ReferenceData => ({ fileKey: fileId, instanceId })

  return {
    answer: ({ documentKey: key, documentName: path, documentUrl: url }, { fileId, extension: fileType }) =>
      sign('setReferenceData', { fileType, key, path, url, referenceData: referenceTo(fileId) }),
    source: (info, path, url) =>
      sign('setReferenceSource', {
        fileType: info.extension,
        key: keys.of(info),
        path,
        url,
        referenceData: referenceTo(info.fileId)
      })
  }
}
