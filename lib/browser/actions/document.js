// The document as a whole: its name, its links, and who uses it.
import { linkTo, openTab, pageUrl } from '../page.js'

/** @type {Record<string, string>} */
const FILE_TYPES = { word: 'docx', cell: 'xlsx', slide: 'pptx', pdf: 'pdf' }

/** @type {import('./index.js').ActionGroups} */
export const documentGroups = {
  create: ({ ask, fragment, messages, page, tell }) => ({
    async onRequestCreateNew () {
      const { documentType, editorConfig } = page.config
      const fileType = FILE_TYPES[documentType ?? '']
      const lang = editorConfig?.lang
      const body = { ...(fileType && { fileType }), ...(lang && { lang }) }
      let template
      if (page.actions.includes('templates')) {
        const { choose } = await import('../dialogs.js')
        const blank = { title: messages.blankDocument, ...(fileType && { fileType }), data: undefined }
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

  editRights: ({ reopen }) => ({ onRequestEditRights: () => reopen('edit') }),

  users: ({ ask, answer }) => ({
    /** @param {{ c: string }} data */
    async onRequestUsers (data) {
      const found = await ask('users', data).catch(error => {
        console.error(error)
        return { c: data.c, users: [] } // the editor works without them
      })
      answer('setUsers', found)
    }
  }),

  notify: ({ ask }) => ({
    /** @param {{ emails: string[], message: string, actionLink: object }} data */
    async onRequestSendNotify ({ emails, message, actionLink }) {
      await ask('notify', { emails, message, ...(actionLink && { actionLink, link: linkTo(actionLink) }) })
    }
  }),

  sharing: ({ ask, answer, fragment, messages, page }) => ({
    /** The editor then has the settings in its access rights, and shows nothing by itself. */
    async onRequestSharingSettings () {
      const { sharingSettings: settings, url } = await ask('sharing', {})
      if (fragment.querySelector('dialog')) return
      // without info the editor would break
      if (settings && page.config.document?.info !== undefined) {
        answer('setSharingSettings', { sharingSettings: settings })
      }
      const { showSharing } = await import('../dialogs.js')
      await showSharing(fragment, { messages, settings, url })
    }
  })
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
