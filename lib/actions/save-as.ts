import type { SaveAsResult } from '../../types/actions.js'
import type { ResultFile } from '../../types/conversions.js'
import { resultMediaTypeOf } from '../document-server/formats.js'
import { InvalidActionError, UpstreamError } from '../errors.js'
import { isResultAt, notAResult } from '../outbound/result-urls.js'
import { similarName } from '../security/names.js'
import { discard } from '../util/streams.js'
import { parseHttpUrl } from '../util/url.js'
import { type ActionServices, callHook, type PageAction, type PageRequest } from './action.js'
import { pageOf } from './page-links.js'
import type { NamedResult } from './requests.schema.js'
import { isSavedCopy } from './results.compiled.js'

/**
 * Fetches a copy that the document server has made, and stores it or hands it to the application. What no editor opens
 * the page downloads.
 */
export const saveAs: PageAction<'save-as'> = {
  name: 'save-as',
  summary: 'Save a copy',
  needs: 'download',
  option: 'saveAs',
  cost: 10,
  async run (page, services) {
    const { fetchResult, opens } = services
    const result = checkedResult(page.body, services)
    const name = similarName(page.body.title, result.fileType)
    if (!await opens(result.fileType)) return { name, isDownload: true }
    const file = await fetchResult(result, {
      namedByPage: true,
      failure: (reason, options) => new UpstreamError(reason, { ...options, retryable: false })
    })
    const { fileId, name: storedName = name, url: pageUrl } = await store(file, name, page, services)
    const shownUrl = pageUrl ?? (fileId === undefined ? undefined : await pageOf(services, fileId))
    return { name: storedName, fileId, url: shownUrl }
  }
}

/**
 * Checks a file that a page names: only what the document server has made for an editor may be fetched, whatever other
 * options allow. The request checks that, too, and where redirects lead.
 */
export function checkedResult (
  { url: given, fileType: type }: NamedResult, { settings: { documentServer } }: ActionServices
): NamedResult {
  const fileType = type.toLowerCase()
  // Others would be stored under names such as `copy.php`.
  if (resultMediaTypeOf(fileType) === 'application/octet-stream') {
    throw new InvalidActionError('the document server does not make files of this type')
  }
  const url = parseHttpUrl(given)
  if (!isResultAt(documentServer.publicOrigins, url)) throw notAResult(url)
  return { url: url.href, fileType }
}

/** A file that was cut off is not stored, even if a hook does not notice. */
async function store (
  file: ResultFile, name: string, page: PageRequest, services: ActionServices
): Promise<SaveAsResult> {
  const { actions, timeouts } = services.settings
  const { body: content, fileType, size } = file
  try {
    const result = actions.saveAs === true
      ? { fileId: await create(file, name, page, services) }
      : await callHook(services, 'saveAs', page, { name, fileType, content, size }, {
        isResult: isSavedCopy,
        expected: '{ fileId?, url?, name? } with an http(s) URL or a path',
        extraTime: timeouts.total
      })
    if (content.errored) throw content.errored
    return result ?? {}
  } catch (error) {
    throw content.errored ?? error
  } finally {
    discard(content)
  }
}

async function create (
  { body, fileType }: ResultFile, name: string, page: PageRequest, services: ActionServices
): Promise<string> {
  const { storage, inspected, settings, log } = services
  const { fileId, defaults: { user } } = page.claims
  const staged = await storage.stage(fileId, body)
  try {
    const users = user?.id === undefined ? {} : { users: [user.id] }
    const about = { reason: 'save-as' as const, fileId, extension: fileType, ...users }
    const { fileId: copyFileId } = await inspected(staged, about, async copy => await storage.create(fileType, copy))
    if (settings.actions.copied) {
      await callHook(services, 'copied', page, { copyFileId, name, fileType })
        .catch(err => log.error({ err, fileId, copyFileId }, 'the hook actions.copied failed: the copy stays'))
    }
    return copyFileId
  } finally {
    await storage.discard(staged)
  }
}
