import { linkTo } from '../links.js'

/** @type {import('./index.js').ActionGroups} */
export const peopleGroups = {
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
