/**
 * Why a name is refused:
 *
 * - `empty`: it has no visible character;
 * - `too-long`: it has more than 255 bytes in UTF-8 with its extension;
 * - `character`: it contains one of `/ \ : * ? " < > |`, a control character, or one that changes the direction of
 *   text;
 * - `dot`: it begins or ends with a dot;
 * - `reserved`: Windows opens a device for it, such as `con`.
 */
export type NameProblem = 'empty' | 'too-long' | 'character' | 'dot' | 'reserved'

/** A name that a user typed, or why it is refused. */
export type TypedName =
  | {
    /** Without the extension, in Unicode's form NFC. */
    readonly name: string
    /** With the extension. */
    readonly title: string
    readonly problem?: undefined
  }
  | {
    readonly problem: NameProblem
    readonly name?: undefined
    readonly title?: undefined
  }
