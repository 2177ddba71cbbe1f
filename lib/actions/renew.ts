import type { PageClaims } from '../security/page-token.js'
import { pageAction, type PageAction } from './action.js'
import { isEmptyBody } from './requests.compiled.js'

interface Dependencies {
  readonly makeToken: (claims: PageClaims) => string
}

/** The same token with a later expiry. */
export function renewAction ({ makeToken }: Dependencies): PageAction {
  return pageAction({
    name: 'renew',
    isBody: isEmptyBody,
    run: async ({ claims }) => ({ pageToken: makeToken(claims) })
  })
}
