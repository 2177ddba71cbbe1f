import type { NameProblem, TypedName } from '../../types/names.js'

/** Leaves room for a dot and an extension: file names on common file systems have at most 255 bytes. */
export const MAX_FILE_ID_BYTES = 200

/**
 * Control characters, line separators, characters that change the direction of text, and characters special in paths or
 * shells.
 */
export const FORBIDDEN_CHARACTERS = /[\p{Cc}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2066}-\u{2069}/\\<>:"|?*]/u

/** Unix hides names with a leading dot. Windows removes trailing dots and spaces. */
const HIDDEN_OR_TRIMMED = /^\.|[.\s]$/u

/**
 * Windows opens a device for these names, whatever the extension. Source: Microsoft, "Naming Files, Paths, and
 * Namespaces".
 */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9¹²³])\s*(?:\.|$)/iu

/**
 * Whether a fileId can be part of a file name: 1 to 200 bytes of well-formed text that every operating system treats as
 * one plain file name. Spaces, `&`, `#`, `+`, `%` and letters of any script are allowed. Storages treat other fileIds
 * as absent files.
 */
export function isSafeFileId (fileId: unknown): fileId is string {
  return typeof fileId === 'string' && problemOf(fileId, MAX_FILE_ID_BYTES) === undefined
}

/** Why a text cannot be a fileId; `undefined` if it can. */
export function whyNoFileId (fileId: string): string | undefined {
  const problem = problemOf(fileId, MAX_FILE_ID_BYTES)
  if (problem === undefined) return undefined
  return problem === 'too-long'
    ? `it is longer than ${MAX_FILE_ID_BYTES} bytes`
    : 'it is not a valid file name on every operating system'
}

/** Why not every operating system treats a text as one plain file name. */
function problemOf (name: string, maxBytes: number): NameProblem | undefined {
  if (name === '') return 'empty'
  if (name.length > maxBytes || Buffer.byteLength(name) > maxBytes) return 'too-long'
  if (!name.isWellFormed() || FORBIDDEN_CHARACTERS.test(name)) return 'character'
  if (HIDDEN_OR_TRIMMED.test(name)) return 'dot'
  return DEVICE.test(name) ? 'reserved' : undefined
}

/** Maximum length of a file name on common file systems. */
const MAX_BYTES = 255

/** Also changes the direction of text. */
const LETTER_MARK = '\u061c'

/** A name of invisible characters alone would look empty. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u

/**
 * Checks a document name that a user typed: it must be a plain file name on every operating system. The editor's page
 * checks names in the same way when a document is renamed there.
 *
 * @param typed With or without the extension. Anything but a string counts as empty.
 * @param fileType Format of the document, in lower case: `docx`.
 * @example
 * ```js
 * const { title, problem } = typedName(request.body.name, 'docx')
 * if (problem) return reply.code(400).send({ problem })
 * ```
 */
export function typedName (typed: unknown, fileType: string): TypedName {
  const name = typeof typed === 'string' ? withoutExtension(typed.normalize('NFC').trim(), fileType) : ''
  const title = `${name}.${fileType}`
  const problem = problemOf(name, MAX_BYTES) ?? problemOf(title, MAX_BYTES) ??
    (name.includes(LETTER_MARK) ? 'character' : VISIBLE.test(name) ? undefined : 'empty')
  return problem === undefined ? { name, title } : { problem }
}

/** A plain file name that is similar to a title, which may contain anything. */
export function similarTitle (title: string, fileType: string): string {
  const plain = withoutExtension(title.toWellFormed().normalize('NFC').trim(), fileType)
    .replace(new RegExp(FORBIDDEN_CHARACTERS, 'gu'), '_')
    .replaceAll(LETTER_MARK, '_')
    .replace(/^\.+/, '')
  const bytes = MAX_BYTES - fileType.length - 1
  const shortened = (name: string) => withinBytes(name, bytes).replace(/[.\s]+$/u, '')
  const name = shortened(plain)
  const isGood = VISIBLE.test(name) &&
    [name, `${name}.${fileType}`].every(text => problemOf(text, MAX_BYTES) === undefined)
  return `${isGood ? name : shortened(`_${name}`)}.${fileType}`
}

function withoutExtension (name: string, extension: string): string {
  const end = `.${extension}`
  return name.toLowerCase().endsWith(end) ? name.slice(0, -end.length).trimEnd() : name
}

function withinBytes (text: string, bytes: number): string {
  let size = 0
  let end = 0
  for (const character of text) {
    size += Buffer.byteLength(character)
    if (size > bytes) break
    end += character.length
  }
  return text.slice(0, end)
}
