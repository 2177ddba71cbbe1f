/** Two pieces. */
const SIZE = 1.25 * 1024 ** 2
const DIGITS = 8

/** Content of which every part says the number. */
export function contentOf (number: number): Buffer {
  return Buffer.alloc(SIZE, String(number).padStart(DIGITS, '0'))
}

/** Throws unless it is whole, and of one number. */
export function numberIn (chunks: readonly Buffer[]): number {
  const content = Buffer.concat(chunks)
  const number = Number(content.toString('latin1', 0, DIGITS))
  if (!content.equals(contentOf(number))) throw new Error(`the content of number ${number} is not whole`)
  return number
}
