import { openTab, pageUrl } from '../links.js'

/** @type {import('./index.js').ActionGroup} */
export function saveAs ({ ask, messages, tell }) {
  return {
    /** @param {{ url: string, title: string, fileType: string }} data */
    async onRequestSaveAs ({ url, title, fileType }) {
      tell.busy(messages.savingCopy)
      const copy = await ask('save-as', { url, title, fileType })
      const page = pageUrl(copy.url)
      tell.done(messages.copySaved.replace('{name}', () => copy.name ?? title), page ? { label: messages.open, run: () => openTab(page) } : undefined)
    }
  }
}
