import type { CreateDocumentOptions } from '../../types/blank.js'
import type {
  ControlConvertOptions,
  ConvertToPdfOptions,
  EditorMessages,
  OpenDocumentOptions,
  RenderOptions,
  SetDocumentOptions,
  ThumbnailRequest
} from '../../types/control.js'
import { conversionRules, numbered, Pixels, words } from '../document-server/conversion-service.js'
import { convertRules as awaitRules } from '../document-server/result-file.js'
import { isPageUrl } from '../util/url.js'
import {
  AnyString, integerFrom, listOf, NotBlank, rule, type Rules, Signal, stringThat, TrueOrFalse
} from '../util/validate.js'

// Argument rules for `EditorControl`.

/** Unknown numbers are reported as `VersionNotFoundError`. */
export const VersionNumber = rule('must be the number of a version', value => typeof value === 'number')

const Name = rule('must be a name such as Report.docx', NotBlank.holds)

export const openRules: Rules<OpenDocumentOptions> = { name: Name }

export const setRules: Rules<SetDocumentOptions> = { check: TrueOrFalse }

/** `blankDocument` checks the others. */
export const createRules: Rules<CreateDocumentOptions> = { name: Name, lang: AnyString, paper: AnyString }

export const convertToPdfRules: Rules<ConvertToPdfOptions> = {
  maxAttempts: rule('must be a whole number, at least 1', integerFrom(1)),
  delayMs: rule('must be a whole number of milliseconds, at least 0', integerFrom(0)),
  signal: Signal
}

export const convertRules: Rules<ControlConvertOptions> = { ...conversionRules, ...awaitRules }
export const requiredToConvert: ReadonlySet<string> = new Set(['outputType'])

const { outputType, thumbnail, ...otherRules } = convertRules
export const thumbnailRules: Rules<ThumbnailRequest> = {
  ...otherRules,
  width: Pixels,
  height: Pixels,
  aspect: numbered(0, 1, 2),
  outputType: words('bmp', 'gif', 'jpg', 'png')
}
export const requiredOfThumbnail: ReadonlySet<string> = new Set(['width', 'height'])

const messageNames: Readonly<Record<keyof EditorMessages, true>> = {
  loading: true,
  slow: true,
  unreachable: true,
  unreachableAdvice: true,
  failed: true,
  failedAdvice: true,
  unconvertedAdvice: true,
  outdated: true,
  outdatedAdvice: true,
  expired: true,
  expiredAdvice: true,
  loggedOut: true,
  loggedOutAdvice: true,
  tryAgain: true,
  reload: true,
  denied: true,
  notFound: true,
  nameTaken: true,
  beingEdited: true,
  beingEditedAdvice: true,
  tooLarge: true,
  refused: true,
  notDone: true,
  notDoneAdvice: true,
  offlineAdvice: true,
  savingCopy: true,
  copySaved: true,
  copyOffered: true,
  download: true,
  restoring: true,
  loadingHistory: true,
  created: true,
  linkReady: true,
  open: true,
  dismiss: true,
  closing: true,
  unsent: true,
  unsentAdvice: true,
  unsavedAdvice: true,
  closeAnyway: true,
  keepOpen: true,
  closed: true,
  openAgain: true,
  chooseImage: true,
  chooseCompare: true,
  chooseCombine: true,
  chooseInsert: true,
  chooseSpreadsheet: true,
  sharing: true,
  sharedByLink: true,
  sharedWithNobody: true,
  changeSharing: true,
  search: true,
  searching: true,
  nothingFound: true,
  cancel: true
}

export const renderRules: Rules<RenderOptions> = {
  events: rule(
    'must be a list of events of the editor, such as onRequestClose',
    listOf(stringThat(name => /^on[A-Z][A-Za-z]*$/.test(name)))
  ),
  closeUrl: rule('must be an http(s) URL, or a path that begins with one slash', stringThat(isPageUrl)),
  lang: rule('must be a language such as de or pt-BR', stringThat(lang => /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(lang))),
  messages: Object.fromEntries(Object.keys(messageNames).map(name => [name, AnyString])) as Rules<EditorMessages>
}
