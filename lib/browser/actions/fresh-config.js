/** @type {import('./index.js').ActionGroup} */
export function refresh ({ page, askFresh, answer, completed, outdated }) {
  return {
    /** The document was saved since this page was made, or the connection was lost for too long. */
    async onRequestRefreshFile () {
      const fresh = await askFresh({ purpose: 'refresh', key: page.config.document?.key ?? '' }).catch(outdated)
      if (fresh) answer('refreshFile', completed(fresh.config))
    }
  }
}

/** @type {import('./index.js').ActionGroup} */
export function editRights ({ reopen }) {
  return {
    onRequestEditRights: () => reopen('edit')
  }
}
