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
export function isPlainName (name: string, maxBytes: number): boolean {
  return name !== '' &&
    name.length <= maxBytes &&
    name.isWellFormed() &&
    Buffer.byteLength(name) <= maxBytes &&
    !FORBIDDEN_CHARACTERS.test(name) &&
    !HIDDEN_OR_TRIMMED.test(name) &&
    !DEVICE.test(name)
}
