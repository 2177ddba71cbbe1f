import { typedName } from 'fastify-onlyoffice'
import { UnusableName } from './errors.js'

/** Why the plugin refuses a name, in words for users. */
const PROBLEMS = {
  empty: 'Type a name.',
  'too-long': 'This name is too long.',
  character: 'A name can\'t contain any of / \\ : * ? " < > | or invisible characters.',
  dot: 'A name can\'t begin or end with a dot.',
  reserved: 'Windows can\'t use this name. Choose another one.'
}

/**
 * The name of a document with its extension, by the plugin's rule: here as in the editor.
 * @param {unknown} typed
 * @param {string} extension
 */
export function titleOf (typed, extension) {
  const { title, problem } = typedName(typed, extension)
  if (problem) throw new UnusableName(PROBLEMS[problem])
  return title
}
