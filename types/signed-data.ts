import type {
  InsertImageOptions,
  SetHistoryDataOptions,
  SetReferenceDataOptions,
  SetRequestedDocumentOptions,
  SetRequestedSpreadsheetOptions
} from '@onlyoffice/doceditor-types'

/** The data of one version in the version history. With `changesUrl` it also needs `previous`. */
export type HistoryData =
  & Omit<SetHistoryDataOptions, 'token' | 'error' | 'key' | 'url' | 'changesUrl' | 'previous' | 'version'>
  & { readonly version: number | string, readonly key: string, readonly url: string }
  & (
    | { readonly changesUrl: string, readonly previous: NonNullable<SetHistoryDataOptions['previous']> }
    | { readonly changesUrl?: undefined, readonly previous?: SetHistoryDataOptions['previous'] }
  )

/** The URL and type of a file. */
export interface EditorFileData {
  readonly fileType: string
  readonly url: string
}

/**
 * The data that `EditorServer.sign` signs for each method of the editor in the page: the method's argument without
 * `token`. Source: emulator/docs/document-server-protocol.md#events-and-what-answers-them
 */
export interface SignedMethods {
  /**
   * Answers `onRequestHistoryData`. `version` is an integer other than 0; from 10.0 on it may also be text such as
   * `'1.2'`.
   */
  readonly setHistoryData: HistoryData
  /** Answers `onRequestInsertImage`. Copy `c` from the event. */
  readonly insertImage: Pick<InsertImageOptions, 'c' | 'images'>
  /** Answers `onRequestSelectDocument`. Copy `c` from the event. */
  readonly setRequestedDocument: Omit<SetRequestedDocumentOptions, 'token'>
  /** Answers `onRequestSelectSpreadsheet`. Copy `c` from the event. */
  readonly setRequestedSpreadsheet: Omit<SetRequestedSpreadsheetOptions, 'token'>
  /** Answers `onRequestReferenceData`, exactly once for each event. */
  readonly setReferenceData: Omit<SetReferenceDataOptions, 'token' | 'error'>
  /** Answers `onRequestReferenceSource`. */
  readonly setReferenceSource: Omit<SetReferenceDataOptions, 'token' | 'error'>
  /** Answers `onRequestMailMergeRecipients` of editors before 7.5. Later editors use `setRequestedSpreadsheet`. */
  readonly setMailMergeRecipients: EditorFileData
  /** Answers `onRequestCompareFile` of editors before 7.5. Later editors use `setRequestedDocument`. */
  readonly setRevisedFile: EditorFileData
}

/** Data and the token that signs it. */
export type SignedData<Data> = Data & { readonly token: string }
