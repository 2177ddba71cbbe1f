import type { DoctorFinding } from '../../types/doctor.js'
import { isHtml } from '../document-server/file-signatures.js'
import { API_SCRIPT_PATH } from '../document-server/server-urls.js'
import type { Settings } from '../options.js'
import { isRedirect, redirectTarget } from './answers.js'
import type { DirectRequester, DirectResponse } from './direct-request.js'
import { error, ok, skipped } from './findings.js'
import { firstWords, shown } from './plain-text.js'

interface Dependencies {
  readonly settings: Pick<Settings, 'documentServer' | 'editorApiUrl'>
  readonly direct: DirectRequester
}

/** Whether a browser gets the editor's script at `editorApiUrl`. */
export async function checkApiScript ({ settings: { documentServer, editorApiUrl }, direct }: Dependencies, signal: AbortSignal): Promise<DoctorFinding> {
  const outcome = await direct('probe', editorApiUrl, { signal })
  if ('failure' in outcome) {
    const { code, meaning } = outcome.failure
    const hint = documentServer.internalOrigin === null ? 'See the finding about the document server.' : 'This application reaches the document server at documentServer.internalUrl only: open editorApiUrl in a browser to check it.'
    return skipped('API_SCRIPT', `No answer from ${shown(editorApiUrl)}: ${code}, ${meaning}. ${hint}`)
  }
  const { response } = outcome
  if (definesEditor(response)) return ok('API_SCRIPT', `${shown(editorApiUrl)} is there and defines DocsAPI.`)

  const seen = `${shown(editorApiUrl)} answers status ${response.status}`
  const better = await betterUrl()
  if (better) return error('API_PATH', `${seen} and ${firstWords(response.text)}; ${shown(better)} is the script.`, `Set editorApiUrl to ${shown(better)}.`)
  if (isRedirect(response)) return redirected(response, seen)
  if (response.status !== 200) return error('API_MISSING', `${seen} and ${firstWords(response.text)}.`, `Set editorApiUrl to the api.js of a document server: its URL followed by ${API_SCRIPT_PATH}. If that is what it is, check the proxy in front of the document server.`)
  return error('API_NOT_SCRIPT', `${seen} and ${isHtml(response.text) ? 'a page: ' : ''}${firstWords(response.text)}; it does not define DocsAPI.`, `Let ${shown(editorApiUrl)} be served by the document server, to everybody: browsers load it without a login.`)

  /** The usual path at the same origin, if there is a script. */
  async function betterUrl (): Promise<URL | undefined> {
    const usual = new URL(API_SCRIPT_PATH, editorApiUrl.origin)
    if (editorApiUrl.pathname === usual.pathname) return undefined
    const found = await direct('probe', usual, { signal })
    return 'response' in found && definesEditor(found.response) ? usual : undefined
  }

  function redirected (redirect: DirectResponse, seen: string): DoctorFinding {
    const target = redirectTarget(editorApiUrl, redirect)
    return error('API_REDIRECT', `${seen} with a redirect to ${target ? shown(target) : 'nowhere'}.`,
      target?.pathname === editorApiUrl.pathname ? `Set editorApiUrl to ${shown(target)}.` : 'Let the proxy in front of the document server serve api.js without a login: browsers load it from pages of the application.')
  }
}

function definesEditor ({ status, text }: DirectResponse): boolean {
  return status === 200 && text.includes('DocsAPI') && !isHtml(text)
}
