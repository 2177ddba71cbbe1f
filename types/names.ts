/**
 * Why a name is refused:
 *
 * - `empty`: it has no visible characters;
 * - `too-long`: with its extension it has more than 255 bytes in UTF-8;
 * - `character`: it contains one of `/ \ : * ? " < > |`, a control character, or a character that changes the direction
 *   of text;
 * - `dot`: it begins or ends with a dot;
 * - `reserved`: it is the name of a device in Windows, such as `con`.
 */
export type NameProblem = 'empty' | 'too-long' | 'character' | 'dot' | 'reserved'

/** A name that a user typed, or why it is refused. */
export type TypedName =
  | {
    /** The name without extension, in Unicode normal form NFC. */
    readonly name: string
    /** The name with its extension. */
    readonly title: string
    readonly problem?: undefined
  }
  | {
    readonly problem: NameProblem
    readonly name?: undefined
    readonly title?: undefined
  }
