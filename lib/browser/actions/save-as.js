import { CaptureError } from '../errors.js'
import { openTab, pageUrl } from '../links.js'

const TIME_LIMIT_MS = 180_000
/** By then the browser has certainly begun to save a file. */
const KEPT_MS = 60_000

/** @type {import('./index.js').ActionGroup} */
export function saveAs ({ ask, messages, page, tell }) {
  return {
    /** @param {{ url: string, title: string, fileType: string }} data */
    async onRequestSaveAs ({ url, title, fileType }) {
      tell.busy(messages.savingCopy)
      const copy = await ask('save-as', { url, title, fileType })
      const name = String(copy.name ?? title)
      if (copy.isDownload) {
        const { fetchThroughProxy } = await import('../captures.js')
        const file = await fetchThroughProxy(page, url, AbortSignal.timeout(TIME_LIMIT_MS), CaptureError)
        const title = messages.copyOffered.replace('{name}', () => name)
        return tell.done(title, { label: messages.download, run: () => download(file, name) })
      }
      const shown = pageUrl(copy.url)
      const button = shown ? { label: messages.open, run: () => openTab(shown) } : undefined
      tell.done(messages.copySaved.replace('{name}', () => name), button)
    }
  }
}

/**
 * @param {Blob} file
 * @param {string} name
 */
function download (file, name) {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(file), download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS)
}
