// Follows a document from the loading of api.js until it is open: shows the progress to the user, and reports failures
// to the application.
import { NoFrameError, PolicyError } from './errors.js'
import { dispatchError } from './page.js'

/** @import { Content, Notice } from './notice.js' */
/** @import { EditorPage } from './fragment.js' */
/** @typedef {ReturnType<typeof followOpening>} Opening */

/** From the creation of the editor to `onDocumentReady`. After that the user learns that it takes longer. */
const USUAL_MS = 30_000
/** From one look for a document server that could not be reached to the next. */
const LOOK_EVERY_MS = 10_000

/**
 * @param {object} mount
 * @param {HTMLElement} mount.fragment A page may remove it without `unmountEditor`.
 * @param {EditorPage} mount.page
 * @param {Notice} mount.notice
 * @param {() => (() => void) | null} mount.leave Removes the editor of a document that could not be converted,
 *   so that nobody has it open. Returns a function that tries again; `null` if the page cannot.
 */
export function followOpening ({ fragment, page, notice, leave }) {
  const { messages } = page
  /** @type {'loading' | 'shown' | 'slow' | 'failed' | 'over'} */
  let state = 'loading'
  let timer = 0
  const reload = { label: messages.reload, run: () => location.reload() }
  // If api.js is already loaded, the editor's frame is requested before that.
  setTimeout(() => { if (state === 'loading') showLoading() })

  function showLoading () {
    notice.show({ place: 'cover', role: 'status', title: messages.loading, isBusy: true })
  }

  /** The editor shows something of its own. */
  function showEditor () {
    state = 'shown'
    notice.hide()
  }

  function slow () {
    if (!fragment.isConnected) return end()
    state = 'slow'
    notice.show({ place: 'bar', role: 'status', title: messages.slow })
    report(page, 'slow')
  }

  /** @param {unknown} data Data of `onError`. */
  function fail (data) {
    const failure = failureOf(data)
    if (!failure) return
    const { code, kind, reason } = failure
    const tryAgain = kind === 'unconverted' ? leave() : null
    showFailure(code, {
      // The editor may have a dialog about an error that is unknown here.
      place: kind === 'unknown' ? 'bar' : 'cover',
      ...kind === 'outdated' && { title: messages.outdated, advice: messages.outdatedAdvice },
      details: detailsOf(code, reason),
      ...tryAgain && {
        advice: messages.unconvertedAdvice,
        buttons: [{ label: messages.tryAgain, run: () => { showLoading(); tryAgain() } }]
      }
    })
  }

  /**
   * @param {number | string} code
   * @param {Partial<Content>} content Of the notice; by default the document could not be opened.
   */
  function showFailure (code, content) {
    clearTimeout(timer)
    state = 'failed'
    notice.show({
      place: 'cover',
      role: 'alert',
      title: messages.failed,
      advice: messages.failedAdvice,
      buttons: [reload],
      ...content
    })
    report(page, code)
  }

  /** @param {SecurityPolicyViolationEvent} violation */
  function blocked (violation) {
    const { blockedURI, disposition, effectiveDirective } = violation
    const isFrame = disposition === 'enforce' && effectiveDirective === 'frame-src'
    if (!isFrame || state === 'failed' || !blockedURI.startsWith(new URL(page.api).origin)) return
    const error = new PolicyError(violation)
    dispatchError(fragment, error)
    showFailure(error.code, { details: error.message })
  }

  /**
   * Nobody has to touch a page that was opened while the document server was restarted.
   * @param {() => void} tryAgain
   */
  function lookAgain (tryAgain) {
    timer = setTimeout(async () => {
      if (!fragment.isConnected) return
      const isBack = await loadApi(page.api).then(() => true, () => false)
      if (state !== 'failed') return // the user was faster
      if (isBack) tryAgain()
      else lookAgain(tryAgain)
    }, LOOK_EVERY_MS)
  }

  function stop () {
    clearTimeout(timer)
    document.removeEventListener('securitypolicyviolation', blocked)
    state = 'over'
  }

  function end () {
    stop()
    notice.hide()
  }

  return {
    /** Whether the document is open, or its fragment was unmounted. */
    isOver: () => state === 'over',
    end,
    /** To be called when another opening follows in the same fragment. */
    stop,
    /** The editor was created. Its events should follow. */
    created () {
      document.addEventListener('securitypolicyviolation', blocked)
      if (state === 'loading' || state === 'shown') timer = setTimeout(slow, USUAL_MS)
    },
    /**
     * The editor was not created.
     * @param {Error} error
     * @param {() => void} tryAgain
     */
    notCreated (error, tryAgain) {
      if (error instanceof NoFrameError || error instanceof PolicyError) {
        return showFailure(error.code, { details: error.message })
      }
      showFailure(0, {
        title: messages.unreachable,
        advice: messages.unreachableAdvice,
        details: detailsOf(0, error.message),
        buttons: [{ label: messages.tryAgain, run: tryAgain }]
      })
      if (!scripts.has(page.api)) lookAgain(tryAgain)
    },
    /**
     * Receives an event of the editor.
     * @param {string} name
     * @param {unknown} data
     */
    event (name, data) {
      if (state === 'over') return
      if (name === 'onDocumentReady') return end()
      if (state === 'failed') return
      if (name === 'onError') return fail(data)
      if (name === 'onAppReady' && state === 'loading') showEditor()
      if (name !== 'onUserActionRequired') return
      clearTimeout(timer) // a dialog, for example for a password, stays open for as long as the user likes
      showEditor()
    }
  }
}

/**
 * @param {number} code
 * @param {string} reason
 */
function detailsOf (code, reason) {
  return reason ? `Error ${code}: ${reason}` : `Error ${code}`
}

/**
 * Reports to the application that a document did not open, so that its log says why.
 * @param {EditorPage} page
 * @param {number | string} code
 */
function report ({ handler, fileId, proxyToken }, code) {
  const query = new URLSearchParams({ action: 'report', fileId, code: String(code) })
  // The user is informed anyway, and can do nothing about a lost report.
  fetch(`${handler}?${query}`, { method: 'POST', keepalive: true, headers: { 'x-editor-proxy-token': proxyToken } })
    .catch(() => {})
}

/**
 * `unconverted`: the document may open under a new key. `reason` is for the operator.
 * @typedef {{ kind: 'failed' | 'outdated' | 'unconverted' | 'unknown', reason: string }} Failure
 */

const DOWNLOAD = 'the document server cannot download the document'
const TOKEN = 'the document server does not accept the token of this page'
const EXPIRED = 'the token of this page has expired'
const CONVERSION = 'the document server could not convert the document for the editor'

/** The editor's codes for a document that does not open. @type {Record<number, Failure>} */
const FAILURES = {
  [-4]: { kind: 'failed', reason: DOWNLOAD },
  [-20]: { kind: 'failed', reason: TOKEN },
  [-21]: { kind: 'outdated', reason: EXPIRED },
  [-80]: { kind: 'unconverted', reason: CONVERSION },
  [-81]: { kind: 'failed', reason: DOWNLOAD },
  [-82]: { kind: 'unconverted', reason: CONVERSION },
  4004: { kind: 'failed', reason: 'the document server denies access' },
  4005: { kind: 'outdated', reason: EXPIRED },
  4006: { kind: 'failed', reason: TOKEN },
  4007: { kind: 'failed', reason: 'the document server ended the session' },
  4008: { kind: 'outdated', reason: 'the document has another version by now' }
}

/** The user has no right to download, but the document opens. */
const NO_DOWNLOAD = -23

/**
 * The meaning of an `onError` before `onDocumentReady`; `null` if the document opens nevertheless.
 * @param {unknown} data
 * @returns {Failure & { code: number } | null}
 */
function failureOf (data) {
  const { errorCode, errorDescription = '' } =
    /** @type {{ errorCode?: unknown, errorDescription?: unknown }} */ (data ?? {})
  const code = typeof errorCode === 'number' && Number.isInteger(errorCode) ? errorCode : -1
  if (code === NO_DOWNLOAD) return null
  return { code, ...FAILURES[code] ?? { kind: 'unknown', reason: withoutQueries(String(errorDescription)) } }
}

/** A description may quote the document's URL, which is signed. @param {string} text */
function withoutQueries (text) {
  return text.replace(/\?\S+/g, '')
}

// The document server's api.js, which defines `DocsAPI`.

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
  // A nonce that allows the page's module allows this script, too.
  script.nonce = Array.from(document.scripts, ({ nonce }) => nonce).find(Boolean) ?? ''
  const ended = new AbortController()
  try {
    await loaded(script, url, ended.signal)
    if (!window.DocsAPI?.DocEditor) throw new Error(`The script at ${url} does not define DocsAPI.DocEditor`)
  } catch (error) {
    failures++
    script.remove()
    throw error
  } finally {
    ended.abort()
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
 * @param {AbortSignal} signal Ends its listening.
 * @returns {Promise<void>}
 */
function loaded (script, url, signal) {
  return new Promise((resolve, reject) => {
    setTimeout(() => {
      reject(new Error(`The document server's script could not be loaded within ${TIME_LIMIT_MS / 1000} s from ${url}`))
    }, TIME_LIMIT_MS)
    /** @param {SecurityPolicyViolationEvent} violation */
    function blocked (violation) {
      const { blockedURI, disposition } = violation
      if (blockedURI === script.src && disposition === 'enforce') reject(new PolicyError(violation))
    }
    document.addEventListener('securitypolicyviolation', blocked, { signal })
    script.onload = () => resolve()
    script.onerror = () => reject(new Error(`The document server's script could not be loaded from ${url}`))
    document.head.append(script)
  })
}
