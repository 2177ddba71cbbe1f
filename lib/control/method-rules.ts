import type { CreateDocumentOptions, CreateFromOptions } from '../../types/blank.js'
import type {
  ControlConvertOptions, ConvertToPdfOptions, OpenDocumentOptions, RenderOptions, UploadDocumentOptions,
  ThumbnailRequest
} from '../../types/control.js'
import { type EditorMessages, englishMessages } from '../../types/messages.js'
import { conversionRules, numbered, Pixels, words } from '../document-server/conversion-service.js'
import { convertRules as awaitRules } from '../document-server/files.js'
import { isPageUrl } from '../util/url.js'
import {
  anyOf, AnyString, each, integerFrom, isObject, isString, listOf, NotBlank, rule, type Rules, Signal, stringThat,
  TrueOrFalse
} from '../util/validate.js'

// Argument rules for `EditorControl`.

/** Unknown numbers are reported as `VersionNotFoundError`. */
export const VersionNumber = rule('must be the number of a version', value => typeof value === 'number')

const Title = rule('must be a title such as Report.docx', NotBlank.holds)

export const openRules: Rules<OpenDocumentOptions> = { title: Title }

export const uploadRules: Rules<UploadDocumentOptions> = { check: TrueOrFalse }

/** `blankDocument` checks the others. */
export const createRules: Rules<CreateDocumentOptions> = { title: Title, lang: AnyString, paper: AnyString }

/** The content is checked where it is used. */
export const createFromRules: Rules<CreateFromOptions> = {
  title: Title,
  from: rule(
    'must be the fileId of a stored document, or { content, title } with a title such as Offer.dotx',
    anyOf(isString, value => isObject(value) && NotBlank.holds(value.title) && value.content !== undefined)
  )
}
export const requiredToCreate: ReadonlySet<string> = new Set(['from'])

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

export const renderRules: Rules<RenderOptions> = {
  events: rule(
    'must be a list of events of the editor, such as onRequestClose',
    listOf(stringThat(name => /^on[A-Z][A-Za-z]*$/.test(name)))
  ),
  closeUrl: rule('must be an http(s) URL, or a path that begins with one slash', stringThat(isPageUrl)),
  lang: rule('must be a language such as de or pt-BR', stringThat(lang => /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(lang))),
  nonce: rule(
    'must be the nonce of the Content-Security-Policy in base64, without \'nonce-\'',
    stringThat(nonce => /^[\w+/-]+={0,2}$/.test(nonce))
  ),
  messages: each(AnyString, ...Object.keys(englishMessages) as Array<keyof EditorMessages>)
}
