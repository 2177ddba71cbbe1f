const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const both = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const words = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

/**
 * Shows times as the user reads them.
 * @param {ParentNode} parent
 */
export function showLocalTimes (parent) {
  for (const element of parent.querySelectorAll('time')) {
    const at = new Date(element.dateTime)
    element.textContent = element.matches('[data-clock]') ? clock.format(at) : textOf(at)
    element.title = both.format(at)
  }
}

/** @param {Date} at */
function textOf (at) {
  const days = Math.round((startOfDay(new Date()) - startOfDay(at)) / (24 * 60 * 60 * 1000))
  return days === 0 || days === 1 ? `${words.format(-days, 'day')}, ${time.format(at)}` : date.format(at)
}

/** @param {Date} at */
function startOfDay (at) {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime()
}
