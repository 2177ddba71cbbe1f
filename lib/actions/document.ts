import type { SharingResult } from '../../types/actions.js'
import { mayUse, type Need } from '../control/defaults.js'
import { FileNotFoundError, ForbiddenError, InvalidActionError } from '../errors.js'
import { OWN_CODE } from '../handler/request.js'
import { typedName } from '../security/names.js'
import { parseUrl } from '../util/url.js'
import {
  type ActionServices, assertUnlocked, callHook, MAX_CHOICES, type PageAction, pageOf, type PageRequest,
  type Place
} from './action.js'
import { MAX_USERS } from './actions.compiled.js'

/** Time for the document server to notify all editors. */
const TELLING_MS = 5000

/** Passes a new name to the application, and shows it in all editors of the document. */
const rename: PageAction<'rename'> = {
  summary: 'Rename the document',
  needs: 'edit',
  option: 'rename',
  cost: 5,
  async run (page, services) {
    const { storage, editorSessions, pageTokens, log } = services
    const { fileId } = page.claims
    const info = await storage.stat(fileId)
    if (!info) throw new FileNotFoundError()
    const { name, title, problem } = typedName(page.body.name, info.fileType)
    if (problem !== undefined) {
      throw new InvalidActionError(
        'the name must be a plain file name: 1 to 255 bytes with its extension, without / \\ : * ? " < > | and control characters, and not a name that a system reserves'
      )
    }
    await assertUnlocked(page, services)
    await callHook(services, 'rename', page, { name, title })
    try {
      await editorSessions.rename(fileId, title, { signal: AbortSignal.timeout(TELLING_MS) })
    } catch (err) {
      // The document is already renamed: editors that were not notified show the name when they are opened again.
      log.warn({ err, fileId }, 'open editors could not be notified of the new name')
    }
    return { title, pageToken: pageTokens.make({ ...page.claims, title }) }
  }
}

/** Passes to the application that the document is a favorite, or no longer one. */
const favorite: PageAction<'favorite'> = {
  summary: 'Mark the document as a favorite',
  needs: 'any',
  option: 'favorite',
  cost: 1,
  async run (page, services) {
    const { body: { favorite }, claims } = page
    await callHook(services, 'favorite', page, { favorite })
    const defaults = { ...claims.defaults, info: { ...claims.defaults.info, favorite } }
    return { pageToken: services.pageTokens.make({ ...claims, defaults }) }
  }
}

/** Asks the application to create a document. */
const create: PageAction<'create'> = {
  summary: 'Create a document',
  needs: 'edit',
  option: 'create',
  cost: 10,
  async run (page, services) {
    const { fileType, lang, template } = page.body
    if (template && !services.urls.isOffered(page.claims.page, template.id, template.token)) {
      throw new ForbiddenError('the template was not offered to this page, or was offered too long ago')
    }
    const told = { fileType: fileType?.toLowerCase(), lang, template: template?.id }
    const { url } = await callHook(services, 'create', page, told, '{ url } with an http(s) URL or a path')
    return { url }
  }
}

/** Templates for a new document, each with a token for `create`. */
const templates: PageAction<'templates'> = {
  summary: 'List templates for a new document',
  needs: 'edit',
  option: 'templates',
  cost: 1,
  async run (page, services) {
    const { fileType, lang, search } = page.body
    const found = await callHook(
      services, 'templates', page, { fileType: fileType?.toLowerCase(), lang, search }, 'a list of { id, title }'
    )
    const choices = found.slice(0, MAX_CHOICES).map(({ id, title, fileType, thumbnail }) =>
      ({ title, fileType, thumbnail, data: { id, token: services.urls.offerToken(page.claims.page, id) } }))
    return { choices }
  }
}

/** Whether the latest save of the page's session was refused. Other instances may have received it. */
const saveState: PageAction<'saveState'> = {
  summary: 'Ask whether the last save was stored',
  needs: 'change',
  cost: 1,
  async run ({ body: { key }, claims: { fileId } }, { sessions }) {
    const refusal = await sessions.refusalOf(fileId, key)
    if (!refusal) return { saved: true }
    const { since, code, message } = refusal
    return { saved: false, since: new Date(since).toISOString(), ...(OWN_CODE.test(code) && { code }), message }
  }
}

/** The right that `users` needs, by the kind of request. With `info`, only users who may comment get mail addresses. */
export const NEEDS_OF_USERS = {
  info: 'any',
  mention: 'comment',
  protect: 'edit',
  filler: 'edit'
} as const satisfies Record<string, Need>

/** Users, as the argument of `setUsers`. */
const users: PageAction<'users'> = {
  summary: 'List users to mention, to protect ranges for, or to give roles in a form',
  needs: 'any',
  option: 'users',
  cost: 1,
  async run (page, services) {
    const { c, id, search, from, count } = page.body
    // Versions without a known author have empty IDs.
    const ids = id?.filter(one => one.trim() !== '')
    const { defaults } = page.claims
    if (!mayUse(defaults, NEEDS_OF_USERS[c])) {
      throw new ForbiddenError(`the page's control does not allow its user to ${NEEDS_OF_USERS[c]}`)
    }
    if (ids?.length === 0) return { c, users: [] }
    const users = await callHook(
      services, 'users', page, { kind: c, ids, search, from, count },
      'a list of { id, name, email?, image? }, with http(s) or data: URLs of images'
    )
    return {
      c,
      users: users.slice(0, MAX_USERS).map(({ id, name, email, image }) =>
        ({ id, name, email: mayUse(defaults, 'comment') ? email : undefined, image })
      )
    }
  }
}

/** Asks the application to notify users whom a comment mentions. */
const notify: PageAction<'notify'> = {
  summary: 'Notify users whom a comment mentions',
  needs: 'comment',
  option: 'notify',
  cost: 5,
  async run (page, services) {
    const { emails, message, actionLink, link: given } = page.body
    const link = await pageAt(page, services, actionLink, given)
    await callHook(services, 'notify', page, { emails, message, link })
    return {}
  }
}

/**
 * The users with access to the document, as the argument of `setSharingSettings`, and the URL of a page for changing
 * it.
 */
const sharing: PageAction<'sharing'> = {
  summary: 'List who has access to the document',
  needs: 'edit',
  option: 'sharing',
  cost: 1,
  async run (page, services) {
    const answer = await callHook(
      services, 'sharing', page, {},
      'a list of { user, permissions, isLink? }, or { settings?, url? } with such a list and an http(s) URL or a path'
    )
    const { settings, url }: SharingResult = Array.isArray(answer) ? { settings: answer } : answer as SharingResult
    return { sharingSettings: settings?.map(({ user, permissions, isLink }) => ({ user, permissions, isLink })), url }
  }
}

export const documentActions = { rename, favorite, create, templates, saveState, users, notify, sharing }

/** The page's module reads it. */
const PARAMETER = 'action-link'

/** URL of a place in a document. Without the hook `page`, `given` is used if it is a page of the application. */
async function pageAt (
  page: PageRequest, services: ActionServices, place: Place | undefined, given: string | undefined
): Promise<string | undefined> {
  const base = new URL(services.settings.publicBaseUrl())
  const own = await pageOf(page, services, page.claims.fileId)
  const url = own === undefined ? ownPage(given, base) : parseUrl(own, base)
  if (url && place) {
    url.searchParams.set(PARAMETER, JSON.stringify({ action: { type: place.action.type, data: place.action.data } }))
  }
  return url?.href
}

/**
 * A link in a mail must not lead to another site. The request's own host proves nothing, because the sender can choose
 * it.
 */
function ownPage (given: string | undefined, base: URL): URL | undefined {
  const url = given === undefined ? undefined : parseUrl(given)
  // A reverse proxy may add https.
  if (!url || !/^https?:$/.test(url.protocol) || url.host !== base.host) return undefined
  url.username = url.password = url.hash = ''
  return url
}
