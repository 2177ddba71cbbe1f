import { InvalidOptionError } from '../errors.js'

const MAX_BYTES = 64 * 1024

/** The details of a version as JSON text. Throws `InvalidOptionError` when they cannot be kept. */
export function detailsText (details: unknown = null): string {
  const text = jsonText(details)
  if (text === undefined || Buffer.byteLength(text) > MAX_BYTES) {
    throw new InvalidOptionError('details', 'must be a JSON value of at most 64 KiB: leave out what the list of versions need not show')
  }
  return text
}

function jsonText (value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch { // a circular structure, or a BigInt
    return undefined
  }
}
