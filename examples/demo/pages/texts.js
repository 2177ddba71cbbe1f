/** @param {number} bytes */
export function sizeText (bytes) {
  if (bytes < 1000) return `${bytes} bytes`
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB']
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`
}

const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/**
 * The pages' scripts replace it by the user's time.
 * @param {Date} date
 */
export function dateText (date) {
  return `${dates.format(date)} UTC`
}

const lists = new Intl.ListFormat('en')

/** @param {readonly string[]} names */
export function listText (names) {
  return lists.format(names)
}

/** @param {Date} date */
export function clockText (date) {
  return `${date.toISOString().slice(11, 19)} UTC`
}
