/** The texts of the page in English. Other languages are in `lib/control/languages/`. */
export const englishMessages = {
  loading: 'Opening the document…',
  /** After 30 seconds without `onDocumentReady`. */
  slow: 'Opening takes longer than usual. If the document does not appear, reload the page.',
  /** `api.js` could not be loaded. */
  unreachable: 'The editor cannot be reached',
  unreachableAdvice:
    'Check your connection and try again. If that does not help, please tell the person who runs this service.',
  /** The editor raised `onError` before `onDocumentReady`. */
  failed: 'The document could not be opened',
  failedAdvice: 'Please tell the person who runs this service.',
  /** After `failed`, if the document server could not convert the document, with the button `tryAgain`. */
  unconvertedAdvice: 'Try again in a moment. If that does not help, please tell the person who runs this service.',
  /** The token has expired, or the key was saved since the page was made. */
  outdated: 'This page is out of date',
  outdatedAdvice: 'Reload the page to open the document.',
  /** A page's token has expired before an action: the page was asleep, or hidden for too long. */
  expired: 'This page was inactive for too long',
  expiredAdvice: 'Reload the page, then do it again.',
  /** The application answered an action with status 401, or redirected it, for example to a login page. */
  loggedOut: 'You are no longer logged in',
  loggedOutAdvice: 'Log in again, then reload the page.',
  tryAgain: 'Try again',
  reload: 'Reload the page',
  /** The application refused an action with status 403. Other statuses follow. */
  denied: 'You are not allowed to do this',
  notFound: 'It does not exist any more',
  nameTaken: 'Another document has this name',
  /** A version was not restored. */
  beingEdited: 'Somebody else is editing this document',
  beingEditedAdvice: 'Try again when nobody else has it open.',
  /** Above the reason of `canEdit` or `freeze`. */
  locked: 'This document can only be viewed at the moment',
  tooLarge: 'This file is too large',
  /** Any other refusal. */
  refused: 'This is not possible',
  /** Something failed. */
  notDone: 'That did not work',
  notDoneAdvice: 'Try again. If that does not help, please tell the person who runs this service.',
  /** The application did not answer. */
  offlineAdvice: 'Check your connection and try again.',
  savingCopy: 'Saving a copy…',
  /** `{name}` is the name of the copy. */
  copySaved: 'A copy was saved as {name}',
  /** No editor opens the format of the copy, such as a zip file of images. `{name}` is the name of the file. */
  copyOffered: '{name} can be downloaded, but not opened here',
  /** A button. */
  download: 'Download',
  restoring: 'Restoring the version…',
  loadingHistory: 'Loading the versions…',
  /** The browser has blocked the tab of the new document. */
  created: 'The new document is ready',
  /** The browser has blocked the tab of the linked document. */
  linkReady: 'The document is ready',
  open: 'Open',
  dismiss: 'OK',
  /** The latest save was refused. */
  unstored: 'Your latest changes are not stored yet',
  unstoredAdvice: 'The last save failed. The document server keeps your changes, and you can go on editing. ' +
    'If this does not go away, please tell the person who runs this service.',
  /** After `unstored`. */
  storedAgain: 'Your changes are stored again',
  /** The editor is being closed: it sends the last changes. */
  closing: 'Saving…',
  /** The last changes could not be sent. */
  unsent: 'Your last changes have not been sent yet',
  unsentAdvice: 'Check your connection. If you close the document now, they are lost.',
  /** In strict co-editing, which sends nothing until the user saves. */
  unsavedAdvice: 'Press Save first. If you close the document now, they are lost.',
  closeAnyway: 'Close anyway',
  keepOpen: 'Keep it open',
  /** The page has no other page to go back to. */
  closed: 'The document is closed',
  openAgain: 'Open it again',
  /** Titles of the dialogs in which the user chooses a file. */
  chooseImage: 'Choose an image',
  chooseCompare: 'Choose a document to compare with',
  chooseCombine: 'Choose a document to combine with',
  chooseInsert: 'Choose a document whose text to insert',
  chooseTemplate: 'Choose a template',
  /** The first entry among the templates. */
  blankDocument: 'Blank document',
  chooseSpreadsheet: 'Choose a spreadsheet',
  /** Title of the dialog with the users who have access. */
  sharing: 'Who has access',
  /** After a name that is a link. */
  sharedByLink: 'with the link',
  sharedWithNobody: 'Nobody else',
  /** The link to a page for changing it. */
  changeSharing: 'Change who has access',
  search: 'Search',
  searching: 'Searching…',
  nothingFound: 'Nothing found',
  cancel: 'Cancel'
} as const

type English = typeof englishMessages

/** Allows any text; code editors show the English default. */
type Messages = { readonly [Name in keyof English]?: English[Name] | (string & {}) | undefined }

/**
 * Texts that the page shows while a document is opening, if it does not open, and about the user's actions. Plain text,
 * no HTML. The technical line for the operator is always in English.
 */
export interface EditorMessages extends Messages {}
