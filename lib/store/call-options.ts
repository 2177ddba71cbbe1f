import type {
  ByteRange, ListVersionsOptions, StorageContent, StorageCreateOptions, StorageReplaceOptions, VersionKeepOptions,
  VersionLabel
} from '../../types/storage.js'
import { EXTENSION } from '../document-server/formats.js'
import { InvalidNameError, InvalidOptionError } from '../errors.js'
import { isSafeFileId } from '../security/names.js'
import { acceptContent } from '../util/streams.js'
import {
  AnyString, assertOptions, assertValue, integerFrom, NotBlank, rule, type Rules, stringThat
} from '../util/validate.js'

/** Accepts anything: the value is checked where it is used. */
const Anything = rule('may be anything', () => true)
const VersionNumbers = rule('must be a list of the numbers of versions', Array.isArray)

/** Returns a function that throws `InvalidOptionError`. */
function assertingThat<Options extends object> (rules: Rules<Options>, required?: ReadonlySet<string>) {
  return (options: Options) => assertOptions(rules, options, { ...(required && { required }) })
}

export const assertCreateOptions = assertingThat<StorageCreateOptions>({
  fileId: rule('must be a fileId: 1 to 200 bytes of text that can be a file name', isSafeFileId)
})

/** A misspelled `ifRevision` would replace any revision. */
export const assertReplaceOptions = assertingThat<StorageReplaceOptions>({
  fileType: Anything,
  ifRevision: AnyString
})

export const assertKeepOptions = assertingThat<VersionKeepOptions>({
  details: Anything,
  changes: Anything as Rules<VersionKeepOptions>['changes'],
  session: AnyString,
  priority: rule('must be a whole number from 0 to 4', integerFrom(0, 4))
})

/** The changes to keep, ready to be read. Throws `InvalidOptionError`. */
export function acceptChanges ({ changes }: VersionKeepOptions): StorageContent | undefined {
  return changes === undefined ? undefined : acceptContent(changes, { name: 'changes' })
}

const MAX_DETAILS = 64 * 1024

/** The details of a version as JSON text. Throws `InvalidOptionError` if they cannot be kept. */
export function detailsText (details: unknown = null): string {
  let text: string | undefined
  try {
    text = JSON.stringify(details)
  } catch {} // a circular structure, or a BigInt
  if (text !== undefined && Buffer.byteLength(text) <= MAX_DETAILS) return text
  throw new InvalidOptionError(
    'details',
    'must be a JSON value of at most 64 KiB: leave out what the list of versions need not show'
  )
}

export const assertListOptions = assertingThat<ListVersionsOptions>({
  newest: rule('must be a whole number, at least 1', integerFrom(1))
})

const labelRules: Rules<VersionLabel> = {
  name: rule(
    'must be 1 to 100 characters, without control characters',
    stringThat(name => NotBlank.holds(name) && name.length <= 100 && !/\p{Cc}/u.test(name))
  ),
  comment: rule('must be a string of at most 500 characters', stringThat(comment => comment.length <= 500))
}

/** Throws `InvalidOptionError`. */
export function assertLabel (label: VersionLabel | null): void {
  if (label !== null) assertOptions(labelRules, label, { required: new Set(['name']) })
}

/** Throws `InvalidOptionError`. */
export function assertVersionNumbers (versions: readonly number[]): void {
  assertValue('versions', versions, VersionNumbers)
}

/** The file type in lower case. Throws `InvalidNameError` if a document cannot have it. */
export function storedFileType (fileType: string): string {
  if (typeof fileType !== 'string' || !EXTENSION.test(fileType)) throw new InvalidNameError()
  return fileType.toLowerCase()
}

/**
 * First byte and number of bytes of a range, or of the whole file. Throws a `RangeError` unless the range lies within
 * the file.
 */
export function sliceOf (size: number, range: ByteRange | undefined): { start: number, length: number } {
  if (!range) return { start: 0, length: size }
  const { start, end } = range
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start || end >= size) {
    throw new RangeError(`The range ${start}-${end} is not within the ${size} bytes of the file`)
  }
  return { start, length: end - start + 1 }
}
