import { withFavorite } from '../control/defaults.js'
import { FileNotFoundError, ForbiddenError, InvalidActionError } from '../errors.js'
import { OWN_CODE } from '../handler/request.js'
import { typedName } from '../security/names.js'
import { assertUnlocked, callHook, MAX_CHOICES, type PageAction } from './action.js'
import { isCreatedPage, isTemplates } from './results.compiled.js'

/** For the document server to tell all editors. */
const TELLING_MS = 5000

/** Has the application note another name, and all editors of the document show it. */
const rename: PageAction<'rename'> = {
  name: 'rename',
  summary: 'Rename the document',
  needs: 'edit',
  option: 'rename',
  cost: 5,
  async run (page, services) {
    const { storage, editorSessions, pageTokens, log } = services
    const { fileId } = page.claims
    const info = await storage.stat(fileId)
    if (!info) throw new FileNotFoundError()
    const { name, title, problem } = typedName(page.body.name, info.extension)
    if (problem !== undefined) {
      throw new InvalidActionError(
        'the name must be a plain file name: 1 to 255 bytes with its extension, without / \\ : * ? " < > | and control characters, and none that a system reserves'
      )
    }
    await assertUnlocked(page, services)
    await callHook(services, 'rename', page, { name, title })
    try {
      await editorSessions.rename(fileId, title, { signal: AbortSignal.timeout(TELLING_MS) })
    } catch (err) {
      // It has its name already: whoever is not told sees it when the document is opened again.
      log.warn({ err, fileId }, 'open editors could not be notified of the new name')
    }
    return { name: title, pageToken: pageTokens.make({ ...page.claims, name: title }) }
  }
}

/** Has the application note that the document is a favorite, or no longer. */
const favorite: PageAction<'favorite'> = {
  name: 'favorite',
  summary: 'Mark the document as a favorite',
  needs: 'any',
  option: 'favorite',
  cost: 1,
  async run (page, services) {
    const { body: { favorite }, claims } = page
    await callHook(services, 'favorite', page, { favorite })
    return { pageToken: services.pageTokens.make({ ...claims, defaults: withFavorite(claims.defaults, favorite) }) }
  }
}

/** Has the application create a document. */
const create: PageAction<'create'> = {
  name: 'create',
  summary: 'Create a document',
  needs: 'edit',
  option: 'create',
  cost: 10,
  async run (page, services) {
    const { format, lang, template } = page.body
    if (template && !services.urls.isOffered(page.claims.page, template.id, template.token)) {
      throw new ForbiddenError('the template was not offered to this page, or too long ago')
    }
    const told = { format: format?.toLowerCase(), lang, template: template?.id }
    const { url } = await callHook(services, 'create', page, told, {
      isResult: isCreatedPage,
      expected: '{ url } with an http(s) URL or a path'
    })
    return { url }
  }
}

/** Templates for a new document, each with a token for `create`. */
const templates: PageAction<'templates'> = {
  name: 'templates',
  summary: 'List templates for a new document',
  needs: 'edit',
  option: 'templates',
  cost: 1,
  async run (page, services) {
    const { format, lang, search } = page.body
    const found = await callHook(services, 'templates', page, { format: format?.toLowerCase(), lang, search }, {
      isResult: isTemplates,
      expected: 'a list of { id, name }'
    })
    const choices = found.slice(0, MAX_CHOICES).map(({ id, name, fileType, thumbnail }) =>
      ({ name, fileType, thumbnail, data: { id, token: services.urls.offerToken(page.claims.page, id) } }))
    return { choices }
  }
}

/** Whether the latest save of the page's session was refused. Other instances may have received it. */
const saveState: PageAction<'save-state'> = {
  name: 'save-state',
  summary: 'Ask whether the last save was stored',
  needs: 'change',
  cost: 1,
  async run ({ body: { key }, claims: { fileId } }, { refusalOf }) {
    const refusal = await refusalOf(fileId, key)
    if (!refusal) return { saved: true }
    const { since, code, message } = refusal
    return { saved: false, since: new Date(since).toISOString(), ...(OWN_CODE.test(code) && { code }), message }
  }
}

export const documentActions = [rename, favorite, create, templates, saveState]
