// Loads the document server's api.js, which defines `DocsAPI`.

const TIME_LIMIT_MS = 30_000

/** @type {Map<string, Promise<void>>} */
const scripts = new Map()
let failures = 0

/**
 * Loads a script once. A failure is not remembered: the next call tries again.
 * @param {string} url
 * @returns {Promise<void>}
 */
export function loadApi (url) {
  const known = scripts.get(url)
  if (known) return known
  const loading = load(url)
  scripts.set(url, loading)
  loading.catch(() => scripts.delete(url))
  return loading
}

/** @param {string} url */
async function load (url) {
  const script = document.createElement('script')
  script.src = failures === 0 ? url : retryUrl(url)
  try {
    await loaded(script, url)
    if (!window.DocsAPI?.DocEditor) throw new Error(`The script at ${url} does not define DocsAPI.DocEditor`)
  } catch (error) {
    failures++
    script.remove()
    throw error
  }
}

/**
 * A different URL for another try: for the same one the browser would wait for the hanging request, or take a wrong
 * answer from its cache.
 * @param {string} url
 */
function retryUrl (url) {
  const changed = new URL(url, document.baseURI)
  changed.searchParams.set('retry', String(failures))
  return changed.href
}

/**
 * @param {HTMLScriptElement} script
 * @param {string} url
 * @returns {Promise<void>}
 */
function loaded (script, url) {
  return new Promise((resolve, reject) => {
    setTimeout(() => {
      reject(new Error(`The document server's script could not be loaded within ${TIME_LIMIT_MS / 1000} s from ${url}`))
    }, TIME_LIMIT_MS)
    script.onload = () => resolve()
    script.onerror = () => reject(new Error(`The document server's script could not be loaded from ${url}`))
    document.head.append(script)
  })
}
