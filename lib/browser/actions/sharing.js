/** @type {import('./index.js').ActionGroup} */
export function sharing ({ ask, answer, page }) {
  if (page.config.document?.info === undefined) return {} // the editor would break
  return {
    async onRequestSharingSettings () {
      answer('setSharingSettings', await ask('sharing', {}))
    }
  }
}
