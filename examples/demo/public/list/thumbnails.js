// First pages: requested when their document comes into view; until then, and if there is none, the icon stays.

/** @type {WeakSet<Element>} */
const watched = new WeakSet()
/** @type {Set<Element>} In view, and still without an image. */
const waiting = new Set()
const observer = new IntersectionObserver(entries => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) waiting.add(target)
    else waiting.delete(target)
  }
  load()
}, { rootMargin: '200px' })
let isLoading = false

/** Requests the images that may be ready now: rows have icons. */
export function loadThumbnails () {
  if (!document.querySelector('[data-view="grid"]')) return
  for (const preview of document.querySelectorAll('[data-thumbnail]')) {
    if (watched.has(preview)) continue
    watched.add(preview)
    observer.observe(preview)
  }
  load()
}

async function load () {
  if (isLoading) return
  isLoading = true
  for (const preview of waiting) {
    if (preview.isConnected && await isSettled(preview)) observer.unobserve(preview)
    else if (preview.isConnected) continue
    waiting.delete(preview)
  }
  isLoading = false
}

/**
 * Whether the image is shown, or there will be none.
 * @param {Element} preview
 */
async function isSettled (preview) {
  const url = preview.getAttribute('data-thumbnail') ?? ''
  const { status } = await fetch(url).catch(() => ({ status: 202 }))
  if (status !== 200) return status !== 202
  const image = new Image()
  image.alt = ''
  image.src = url
  await image.decode().catch(() => {})
  if (image.naturalWidth === 0) return true
  preview.querySelector('img')?.remove()
  preview.append(image)
  preview.classList.add('has-image')
  return true
}
