import type { ActionOptions } from '../../types/actions.js'
import { parseUrl } from '../util/url.js'
import type { HookCalls } from './hook-calls.js'
import { isPageUrl } from './results.compiled.js'

/** A place in a document, as the editor names it. */
export interface Place {
  readonly action: { readonly type: string, readonly data: string }
}

/** URLs of the application's pages. */
export interface PageLinks {
  /** `undefined` without the hook `page`. */
  pageOf (fileId: string): Promise<string | undefined>
  /** Of a place in a document. Without the hook `page`, `given` is used if it is a page of the application. */
  pageAt (fileId: string, place: Place | undefined, given: string | undefined): Promise<string | undefined>
}

interface Dependencies {
  readonly page: ActionOptions['page']
  readonly hooks: HookCalls
  /** Of the application. */
  readonly publicBaseUrl: string
}

/** The page's module reads it. */
const PARAMETER = 'action-link'

export function createPageLinks ({ page, hooks, publicBaseUrl }: Dependencies): PageLinks {
  const pageOf = async (fileId: string) =>
    page &&
    await hooks.limited('page', () => page(fileId), { isResult: isPageUrl, expected: 'an http(s) URL or a path' })

  return {
    pageOf,
    async pageAt (fileId, place, given) {
      const own = await pageOf(fileId)
      const url = own === undefined ? ownPage(given) : parseUrl(own, new URL(publicBaseUrl))
      if (url && place) {
        url.searchParams.set(
          PARAMETER,
          JSON.stringify({ action: { type: place.action.type, data: place.action.data } })
        )
      }
      return url?.href
    }
  }

  /**
   * A link in a mail must not lead to another site. The request's own host proves nothing: whoever sends it can name
   * any.
   */
  function ownPage (given: string | undefined): URL | undefined {
    const url = given === undefined ? undefined : parseUrl(given)
    // A reverse proxy may speak https in the application's name.
    if (!url || !/^https?:$/.test(url.protocol) || url.host !== new URL(publicBaseUrl).host) return undefined
    url.username = url.password = url.hash = ''
    return url
  }
}
