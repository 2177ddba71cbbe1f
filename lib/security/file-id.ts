/** Leaves room for a dot and an extension in the 255 bytes a file name may have on common file systems. */
export const MAX_FILE_ID_BYTES = 200

/** Control characters, line separators, marks that reorder text for its reader, and what is special in a path or a shell. */
const FORBIDDEN = /[\p{Cc}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2066}-\u{2069}/\\<>:"|?*]/u

const HIDDEN_OR_CUT = /^\.|[.\s]$/u

/** Windows opens the device whatever the extension. Source: "Naming Files, Paths, and Namespaces" of the Windows documentation. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9¹²³])\s*(?:\.|$)/iu

/**
 * Whether a fileId can name a stored file: 1 to 200 bytes of well-formed text that is one plain file name on every
 * system. Whatever else is asked for is an absent file. Blanks, `&`, `#`, `+`, `%`, letters of any script are fine.
 */
export function isSafeFileId (fileId: unknown): fileId is string {
  return typeof fileId === 'string' &&
    fileId !== '' &&
    fileId.length <= MAX_FILE_ID_BYTES &&
    fileId.isWellFormed() &&
    Buffer.byteLength(fileId) <= MAX_FILE_ID_BYTES &&
    !FORBIDDEN.test(fileId) &&
    !HIDDEN_OR_CUT.test(fileId) &&
    !DEVICE.test(fileId)
}
