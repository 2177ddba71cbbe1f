/** @type {import('./index.js').ActionGroup} */
export function rename ({ ask }) {
  return {
    /** The editors get the new title from the document server. @param {string} name without extension */
    async onRequestRename (name) {
      await ask('rename', { name })
    }
  }
}
