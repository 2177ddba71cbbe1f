import type {
  CreateOptions, KeepOptions, ListVersionsOptions, ReplaceOptions, VersionLimits
} from '../../types/storage.js'
import { EXTENSION } from '../document-server/formats.js'
import { InvalidNameError } from '../errors.js'
import { isSafeFileId } from '../security/names.js'
import { AnyFunction, AnyString, assertOptions, assertValue, integerFrom, rule, type Rules } from '../util/validate.js'

/** Accepts anything: the value is checked where it is used. */
const Anything = rule('may be anything', () => true)

const replaceRules: Rules<ReplaceOptions> = { extension: Anything, ifRevision: AnyString, beforePublish: AnyFunction }
const Priority = rule('must be a whole number from 0 to 4', integerFrom(0, 4))
const keepRules: Rules<KeepOptions> = {
  details: Anything,
  changes: Anything as Rules<KeepOptions>['changes'],
  session: AnyString,
  priority: Priority
}
const listRules: Rules<ListVersionsOptions> = { newest: rule('must be a whole number, at least 1', integerFrom(1)) }
const Limit = rule('must be a number, at least 0', value => typeof value === 'number' && value >= 0)
const limitRules: Rules<VersionLimits> = {
  keep: Limit,
  maxBytes: Limit,
  keptSince: rule(
    'must be a valid Date',
    value => value instanceof Date && !Number.isNaN(value.getTime())
  ) as unknown as Rules<VersionLimits>['keptSince']
}
const VersionNumbers = rule('must be a list of the numbers of versions', Array.isArray)

const createRules: Rules<CreateOptions> = {
  fileId: rule('must be a fileId: 1 to 200 bytes of text that can be a file name', isSafeFileId)
}

/** Throws `InvalidOptionError`. */
export function assertCreateOptions (options: CreateOptions): void {
  assertOptions(createRules, options)
}

/** A misspelled `ifRevision` would replace any revision. Throws `InvalidOptionError`. */
export function assertReplaceOptions (options: ReplaceOptions): void {
  assertOptions(replaceRules, options)
}

/** Throws `InvalidOptionError`. */
export function assertKeepOptions (options: KeepOptions): void {
  assertOptions(keepRules, options)
}

/** Throws `InvalidOptionError`. */
export function assertVersionNumbers (versions: readonly number[]): void {
  assertValue('versions', versions, VersionNumbers)
}

/** Throws `InvalidOptionError`. */
export function assertListOptions (options: ListVersionsOptions): void {
  assertOptions(listRules, options)
}

/** Throws `InvalidOptionError`. */
export function assertLimits (limits: VersionLimits): void {
  assertOptions(limitRules, limits, { required: new Set(Object.keys(limitRules)) })
}

/** The extension in lower case. Throws `InvalidNameError` if a document cannot have it. */
export function storedExtension (extension: string): string {
  if (typeof extension !== 'string' || !EXTENSION.test(extension)) throw new InvalidNameError()
  return extension.toLowerCase()
}
