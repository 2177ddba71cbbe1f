import { openTab, pageUrl } from '../links.js'

/** @type {Record<string, string>} */
const FORMATS = { word: 'docx', cell: 'xlsx', slide: 'pptx', pdf: 'pdf' }

/** @type {import('./index.js').ActionGroup} */
export function create ({ ask, messages, page, tell }) {
  return {
    async onRequestCreateNew () {
      const { documentType, editorConfig } = page.config
      const format = FORMATS[documentType ?? '']
      const lang = editorConfig?.lang
      const url = pageUrl((await ask('create', { ...(format && { format }), ...(lang && { lang }) })).url)
      if (url && !openTab(url)) tell.done(messages.created, { label: messages.open, run: () => openTab(url) })
    }
  }
}
