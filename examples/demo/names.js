import { UnknownFormat, UnusableName } from './errors.js'
import { extensionOf, kindOf } from './formats.js'

const MAX_LENGTH = 200
/**
 * Control characters, and characters that change the direction in which a name is shown: "gpj.exe" could look like
 * "exe.jpg".
 */
// eslint-disable-next-line no-control-regex
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/**
 * The name of a document as users see it. It is never part of a path.
 * @param {unknown} given
 */
export function documentName (given) {
  const name = typeof given === 'string' ? given.replace(INVISIBLE, '').trim() : ''
  if (name === '' || name.length > MAX_LENGTH) throw new UnusableName()
  return name
}

/**
 * The name of an uploaded file.
 * @param {unknown} given
 */
export function uploadName (given) {
  if (typeof given !== 'string' || given.length > MAX_LENGTH || !kindOf(extensionOf(given))) throw new UnknownFormat()
  return documentName(given)
}
