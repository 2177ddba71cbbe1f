/** @type {import('./index.js').ActionGroup} */
export function sharing ({ ask, answer, fragment, messages, page }) {
  return {
    /** The editor has it in its access rights then, and shows nothing by itself. */
    async onRequestSharingSettings () {
      const { sharingSettings: settings, url } = await ask('sharing', {})
      if (fragment.querySelector('dialog')) return
      if (settings && page.config.document?.info !== undefined) answer('setSharingSettings', { sharingSettings: settings }) // without info it would break
      const { showSharing } = await import('../sharing-dialog.js')
      await showSharing(fragment, { messages, settings, url })
    }
  }
}
