import type { CreateOptions, KeepOptions, ReplaceOptions } from '../../types/storage.js'
import { AnyFunction, AnyString, assertOptions, assertValue, rule, type Rules } from '../rules.js'
import { isSafeFileId } from '../security/file-id.js'

/** Checked where it is used. */
const Anything = rule('may be anything', () => true)

const replaceRules: Rules<ReplaceOptions> = { extension: Anything, ifRevision: AnyString, beforePublish: AnyFunction }
const keepRules: Rules<KeepOptions> = { details: Anything, changes: Anything as Rules<KeepOptions>['changes'] }
const VersionNumbers = rule('must be a list of the numbers of versions', Array.isArray)

const createRules: Rules<CreateOptions> = { fileId: rule('must be a fileId: 1 to 200 bytes of text that can be a file name', isSafeFileId) }

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
