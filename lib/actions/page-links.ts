import { parseUrl } from '../util/url.js'
import { type ActionServices, callInTime } from './action.js'
import { isPageUrl } from './results.compiled.js'

/** A place in a document, as the editor names it. */
export interface Place {
  readonly action: { readonly type: string, readonly data: string }
}

/** The page's module reads it. */
const PARAMETER = 'action-link'

/** URL of the application's page for a document; `undefined` without the hook `page`. */
export async function pageOf (services: ActionServices, fileId: string): Promise<string | undefined> {
  const { page } = services.settings.actions
  return page && await callInTime(services, 'page', () => page(fileId), {
    isResult: isPageUrl,
    expected: 'an http(s) URL or a path'
  })
}

/** URL of a place in a document. Without the hook `page`, `given` is used if it is a page of the application. */
export async function pageAt (
  services: ActionServices, fileId: string, place: Place | undefined, given: string | undefined
): Promise<string | undefined> {
  const base = new URL(services.settings.publicBaseUrl)
  const own = await pageOf(services, fileId)
  const url = own === undefined ? ownPage(given, base) : parseUrl(own, base)
  if (url && place) {
    url.searchParams.set(PARAMETER, JSON.stringify({ action: { type: place.action.type, data: place.action.data } }))
  }
  return url?.href
}

/**
 * A link in a mail must not lead to another site. The request's own host proves nothing: whoever sends it can name any.
 */
function ownPage (given: string | undefined, base: URL): URL | undefined {
  const url = given === undefined ? undefined : parseUrl(given)
  // A reverse proxy may speak https in the application's name.
  if (!url || !/^https?:$/.test(url.protocol) || url.host !== base.host) return undefined
  url.username = url.password = url.hash = ''
  return url
}
