import { linkTo } from '../links.js'

/** @type {import('./index.js').ActionGroup} */
export function users ({ ask, answer }) {
  return {
    /** @param {{ c: string }} data */
    async onRequestUsers (data) {
      const found = await ask('users', data).catch(error => {
        console.error(error)
        return { c: data.c, users: [] } // the editor goes on without them
      })
      answer('setUsers', found)
    }
  }
}

/** @type {import('./index.js').ActionGroup} */
export function notify ({ ask }) {
  return {
    /** @param {{ emails: string[], message: string, actionLink: object }} data */
    async onRequestSendNotify ({ emails, message, actionLink }) {
      await ask('notify', { emails, message, ...(actionLink && { actionLink, link: linkTo(actionLink) }) })
    }
  }
}
