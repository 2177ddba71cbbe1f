import { pageAction, type PageAction } from './action.js'
import { isEmptyBody } from './requests.compiled.js'

/** Nothing but what every action answers: fresh tokens. */
export const renewAction: PageAction = pageAction({ name: 'renew', isBody: isEmptyBody, run: async () => ({}) })
