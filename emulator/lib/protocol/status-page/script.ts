/** Seconds between two looks at what is new. */
export const REFRESH_SECONDS = 5

/** Replaces what has changed. Reloading the whole page would take a reader back to its beginning. */
export const SCRIPT = `setInterval(async () => {
  const response = await fetch(location.href, { cache: 'no-store' }).catch(() => null)
  if (!response?.ok) return
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const sections = [...page.querySelectorAll('section')]
  for (const [index, shown] of document.querySelectorAll('section').entries()) {
    if (shown.innerHTML !== sections[index].innerHTML) shown.innerHTML = sections[index].innerHTML
  }
}, ${REFRESH_SECONDS * 1000})`
