import type { KeepOptions, ReplaceOptions } from '../../types/storage.js'
import { AnyFunction, AnyString, assertOptions, assertValue, rule, type Rules } from '../rules.js'

/** Checked where it is used. */
const Anything = rule('may be anything', () => true)

const replaceRules: Rules<ReplaceOptions> = { extension: Anything, ifRevision: AnyString, beforePublish: AnyFunction }
const keepRules: Rules<KeepOptions> = { details: Anything, changes: Anything as Rules<KeepOptions>['changes'] }
const VersionNumbers = rule('must be a list of the numbers of versions', Array.isArray)

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
