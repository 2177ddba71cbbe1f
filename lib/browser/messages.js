// The messages of a fragment to its user.

/** @typedef {Readonly<typeof defaults>} Messages Default texts; in `copySaved` and `copyOffered`, `{name}` is the name of the copy. */
/** @typedef {{ kind: 'failed' | 'outdated' | 'unconverted' | 'unknown', reason: string }} Failure `unconverted`: the document may open under a new key. `reason` is for the operator. */

const defaults = {
  loading: 'Opening the document…',
  slow: 'Opening takes longer than usual. If the document does not appear, reload the page.',
  unreachable: 'The editor cannot be reached',
  unreachableAdvice:
    'Check your connection and try again. If that does not help, please tell the person who runs this service.',
  failed: 'The document could not be opened',
  failedAdvice: 'Please tell the person who runs this service.',
  unconvertedAdvice: 'Try again in a moment. If that does not help, please tell the person who runs this service.',
  outdated: 'This page is out of date',
  outdatedAdvice: 'Reload the page to open the document.',
  expired: 'This page was inactive for too long',
  expiredAdvice: 'Reload the page, then do it again.',
  loggedOut: 'You are no longer logged in',
  loggedOutAdvice: 'Log in again, then reload the page.',
  tryAgain: 'Try again',
  reload: 'Reload the page',
  denied: 'You are not allowed to do this',
  notFound: 'It does not exist any more',
  nameTaken: 'Another document has this name',
  beingEdited: 'Somebody else is editing this document',
  beingEditedAdvice: 'Try again when nobody else has it open.',
  locked: 'This document can only be viewed at the moment',
  tooLarge: 'This file is too large',
  refused: 'This is not possible',
  notDone: 'That did not work',
  notDoneAdvice: 'Try again. If that does not help, please tell the person who runs this service.',
  offlineAdvice: 'Check your connection and try again.',
  savingCopy: 'Saving a copy…',
  copySaved: 'A copy was saved as {name}',
  copyOffered: '{name} cannot be opened here, but downloaded',
  download: 'Download',
  restoring: 'Restoring the version…',
  loadingHistory: 'Loading the versions…',
  created: 'The new document is ready',
  linkReady: 'The document is ready',
  open: 'Open',
  dismiss: 'OK',
  unstored: 'Your latest changes are not stored yet',
  unstoredAdvice:
    'The last save failed. The document server keeps your changes, and you can go on editing. If this does not go away, please tell the person who runs this service.',
  storedAgain: 'Your changes are stored again',
  closing: 'Saving…',
  unsent: 'Your last changes have not been sent yet',
  unsentAdvice: 'Check your connection. If you close the document now, they are lost.',
  unsavedAdvice: 'Press Save first. If you close the document now, they are lost.',
  closeAnyway: 'Close anyway',
  keepOpen: 'Keep it open',
  closed: 'The document is closed',
  openAgain: 'Open it again',
  chooseImage: 'Choose an image',
  chooseCompare: 'Choose a document to compare with',
  chooseCombine: 'Choose a document to combine with',
  chooseInsert: 'Choose a document whose text to insert',
  chooseTemplate: 'Choose a template',
  blankDocument: 'Blank document',
  chooseSpreadsheet: 'Choose a spreadsheet',
  sharing: 'Who has access',
  sharedByLink: 'with the link',
  sharedWithNobody: 'Nobody else',
  changeSharing: 'Change who has access',
  search: 'Search',
  searching: 'Searching…',
  nothingFound: 'Nothing found',
  cancel: 'Cancel'
}

const DOWNLOAD = 'the document server cannot download the document'
const TOKEN = 'the document server does not accept the token of this page'
const EXPIRED = 'the token of this page has expired'
const CONVERSION = 'the document server could not convert the document for the editor'

/** The editor's codes for a document that does not open. @type {Record<number, Failure>} */
const FAILURES = {
  [-4]: { kind: 'failed', reason: DOWNLOAD },
  [-20]: { kind: 'failed', reason: TOKEN },
  [-21]: { kind: 'outdated', reason: EXPIRED },
  [-80]: { kind: 'unconverted', reason: CONVERSION },
  [-81]: { kind: 'failed', reason: DOWNLOAD },
  [-82]: { kind: 'unconverted', reason: CONVERSION },
  4004: { kind: 'failed', reason: 'the document server denies access' },
  4005: { kind: 'outdated', reason: EXPIRED },
  4006: { kind: 'failed', reason: TOKEN },
  4007: { kind: 'failed', reason: 'the document server ended the session' },
  4008: { kind: 'outdated', reason: 'the document has another version by now' }
}

/** The user has no right to download, but the document opens. */
const NO_DOWNLOAD = -23

/**
 * The default texts, replaced by those in the attribute `data-messages`.
 * @param {string | undefined} given JSON of `render({ messages })`.
 * @returns {Messages}
 */
export function messagesOf (given) {
  return given ? { ...defaults, ...JSON.parse(given) } : defaults
}

/**
 * The meaning of an `onError` before `onDocumentReady`; `null` if the document opens nevertheless.
 * @param {unknown} data
 * @returns {Failure & { code: number } | null}
 */
export function failureOf (data) {
  const { errorCode, errorDescription = '' } =
    /** @type {{ errorCode?: unknown, errorDescription?: unknown }} */ (data ?? {})
  const code = typeof errorCode === 'number' && Number.isInteger(errorCode) ? errorCode : -1
  if (code === NO_DOWNLOAD) return null
  return { code, ...FAILURES[code] ?? { kind: 'unknown', reason: withoutQueries(String(errorDescription)) } }
}

/** A description may quote the document's URL, which is signed. @param {string} text */
function withoutQueries (text) {
  return text.replace(/\?\S+/g, '')
}
