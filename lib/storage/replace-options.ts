import type { ReplaceOptions } from '../../types/storage.js'
import { AnyFunction, AnyString, assertOptions, rule, type Rules } from '../rules.js'

/** `storedExtension` checks the extension. */
const rules: Rules<ReplaceOptions> = { extension: rule('must be an extension', () => true), ifRevision: AnyString, beforePublish: AnyFunction }

/** A misspelled `ifRevision` would replace any revision. Throws `InvalidOptionError`. */
export function assertReplaceOptions (options: ReplaceOptions): void {
  assertOptions(rules, options)
}
