import { linkTo, openTab, pageUrl } from '../links.js'

/** @type {Record<string, string>} */
const FORMATS = { word: 'docx', cell: 'xlsx', slide: 'pptx', pdf: 'pdf' }

/** @type {import('./index.js').ActionGroups} */
export const documentGroups = {
  create: ({ ask, fragment, messages, page, tell }) => ({
    async onRequestCreateNew () {
      const { documentType, editorConfig } = page.config
      const format = FORMATS[documentType ?? '']
      const lang = editorConfig?.lang
      const body = { ...(format && { format }), ...(lang && { lang }) }
      let template
      if (page.actions.includes('templates')) {
        const { choose } = await import('../dialogs.js')
        const blank = { name: messages.blankDocument, ...(format && { fileType: format }), data: undefined }
        const choice = await choose(fragment, {
          title: messages.chooseTemplate,
          messages,
          find: async search => search
            ? (await ask('templates', { ...body, search })).choices
            : [blank, ...(await ask('templates', body)).choices],
          textOf: tell.textOf
        })
        if (!choice) return
        template = choice.data
      }
      const url = pageUrl((await ask('create', { ...body, ...(template !== undefined && { template }) })).url)
      if (url && !openTab(url)) tell.done(messages.created, { label: messages.open, run: () => openTab(url) })
    }
  }),

  rename: ({ ask }) => ({
    /** The editors get the new title from the document server. @param {string} name without extension */
    async onRequestRename (name) {
      await ask('rename', { name })
    }
  }),

  favorite: ({ ask, answer }) => ({
    /** @param {{ favorite?: unknown }} [data] */
    async onMetaChange ({ favorite } = {}) {
      if (typeof favorite !== 'boolean') return
      try {
        await ask('favorite', { favorite })
        answer('setFavorite', favorite)
      } catch (error) {
        answer('setFavorite', !favorite)
        throw error
      }
    }
  }),

  links: ({ answer }) => ({
    /** @param {object} place */
    onMakeActionLink: place => answer('setActionLink', linkTo(place))
  }),

  'edit-rights': ({ reopen }) => ({ onRequestEditRights: () => reopen('edit') })
}

/** @type {import('./index.js').ActionGroup} */
export function refresh ({ page, askFresh, answer, completed, outdated, tell }) {
  return {
    /** The document was saved since this page was made, or the connection was lost for too long. */
    async onRequestRefreshFile () {
      const fresh = await askFresh({ purpose: 'refresh', key: page.config.document?.key ?? '' }).catch(outdated)
      if (!fresh) return
      answer('refreshFile', completed(fresh.config))
      tell.locked(page)
    }
  }
}
