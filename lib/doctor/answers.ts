import { isHtml } from '../document-server/file-signatures.js'
import { REDIRECTS } from '../outbound/outbound.js'
import { parseUrl } from '../url.js'
import type { DirectResponse } from './direct-request.js'

export function isRedirect ({ status }: Pick<DirectResponse, 'status'>): boolean {
  return REDIRECTS.has(status)
}

export function redirectTarget (from: URL, { header }: Pick<DirectResponse, 'header'>): URL | undefined {
  const location = header('location')
  return location === undefined ? undefined : parseUrl(location, from)
}

const LOGIN_PATH = /log-?in|sign-?in|\bsso\b|\bauth|\boauth|session/i
const LOGIN_PAGE = /type=["']?password|log ?in|sign ?in/i

/** Whether an answer asks for a login: by its status, its target, or its words. */
export function isLogin (from: URL, response: DirectResponse): boolean {
  const { status, text } = response
  if (status === 401 || status === 403 || status === 407 || status === 511) return true
  if (isRedirect(response)) return LOGIN_PATH.test(redirectTarget(from, response)?.pathname ?? '')
  return isHtml(text) && LOGIN_PAGE.test(text.slice(0, 50_000))
}
