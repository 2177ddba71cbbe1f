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
  return typeof fileId === 'string' && isPlainName(fileId, MAX_FILE_ID_BYTES)
}

/** Whether every operating system treats a text as one plain file name. */
function isPlainName (name: string, maxBytes: number): boolean {
  return name !== '' &&
    name.length <= maxBytes &&
    name.isWellFormed() &&
    Buffer.byteLength(name) <= maxBytes &&
    !FORBIDDEN_CHARACTERS.test(name) &&
    !HIDDEN_OR_TRIMMED.test(name) &&
    !DEVICE.test(name)
}

/** Maximum length of a file name on common file systems. */
const MAX_BYTES = 255

/** Also changes the direction of text. */
const LETTER_MARK = '\u061c'

/** A name of invisible characters alone would look empty. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u

/** A name without its extension, and with it. */
interface FileName {
  readonly name: string
  readonly title: string
}

/**
 * The name that a user typed, with and without the extension of the file, which the user may have typed, too.
 * `undefined` if it is not a plain file name on every operating system.
 */
export function typedName (typed: string, extension: string): FileName | undefined {
  const name = withoutExtension(typed.normalize('NFC').trim(), extension)
  const title = `${name}.${extension}`
  return isPlainName(name, MAX_BYTES) && isPlainName(title, MAX_BYTES) && VISIBLE.test(name) &&
      !name.includes(LETTER_MARK)
    ? { name, title }
    : undefined
}

/** A plain file name that is similar to a title, which may contain anything. */
export function similarName (title: string, extension: string): string {
  const plain = withoutExtension(title.toWellFormed().normalize('NFC').trim(), extension)
    .replace(new RegExp(FORBIDDEN_CHARACTERS, 'gu'), '_')
    .replaceAll(LETTER_MARK, '_')
    .replace(/^\.+/, '')
  const bytes = MAX_BYTES - extension.length - 1
  const shortened = (name: string) => withinBytes(name, bytes).replace(/[.\s]+$/u, '')
  const name = shortened(plain)
  const isGood = VISIBLE.test(name) && isPlainName(name, MAX_BYTES) && isPlainName(`${name}.${extension}`, MAX_BYTES)
  return `${isGood ? name : shortened(`_${name}`)}.${extension}`
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
