import type { FileChoice, SaveAsResult } from '../../types/actions.js'
import type { ResultFile } from '../../types/conversions.js'
import type { SignedMethods } from '../../types/signed-data.js'
import type { StoredDocument } from '../../types/storage.js'
import { resultMediaTypeOf } from '../document-server/formats.js'
import { InvalidActionError, UpstreamError } from '../errors.js'
import { isResultAt, notAResult } from '../outbound/result-urls.js'
import { similarTitle } from '../security/names.js'
import { limitConcurrency } from '../util/queue.js'
import { discard } from '../util/streams.js'
import { parseHttpUrl } from '../util/url.js'
import { withoutUndefined } from '../util/validate.js'
import { type ActionServices, callHook, MAX_CHOICES, type PageAction, pageOf, type PageRequest } from './action.js'
import type { Linked, NamedResult } from './actions.schema.js'

/** A file that the user may choose, and that the document server then fetches. */
interface ChosenFile {
  readonly title: string
  readonly fileType: string
  readonly url: string
  /** Description of a file in the storage. */
  readonly info?: StoredDocument
}

/**
 * Short, because the document server fetches a chosen file at once. The page also has the URLs of all other files,
 * which nobody chose.
 */
const CHOICE_LIFETIME_MS = 10 * 60_000

const LOOKED_UP_AT_ONCE = 20

/** The same for a file that the user may not read: the application need not reveal that it exists. */
const NOT_FOUND = { error: 'The linked file was not found' } as const

const EXPECTED = 'a list of { title, fileId } or { title, fileType, url }, with http(s) URLs'

/** Images to insert, each with the argument of `insertImage`. */
const images: PageAction<'images'> = {
  summary: 'List images to insert',
  needs: 'edit',
  option: 'images',
  cost: 1,
  async run (page, services) {
    const { c, search } = page.body
    const found = await callHook(services, 'images', page, { search }, EXPECTED)
    return await choicesFrom(found, services, ({ fileType, url }) =>
      services.sign('insertImage', { c, images: [{ fileType, url }] as SignedMethods['insertImage']['images'] }))
  }
}

/** Documents to compare or combine with, or to insert text from, each with the argument of `setRequestedDocument`. */
const documents: PageAction<'documents'> = {
  summary: 'List documents to compare or combine with, or to insert text from',
  needs: 'edit',
  option: 'documents',
  cost: 1,
  async run (page, services) {
    const { c, search } = page.body
    const found = await callHook(services, 'documents', page, { purpose: c, search }, EXPECTED)
    return await choicesFrom(found, services, ({ fileType, url }) =>
      services.sign('setRequestedDocument', { c, fileType, url }))
  }
}

/**
 * Spreadsheets with recipients, or other sources of linked data, each with the argument of the method that takes it.
 */
const spreadsheets: PageAction<'spreadsheets'> = {
  summary: 'List spreadsheets for a mail merge, or as sources of linked data',
  needs: 'edit',
  option: 'spreadsheets',
  cost: 1,
  async run (page, services) {
    const { c, search } = page.body
    const linked = c === 'reference' ? linkedOf(page.body) : {}
    const found = await callHook(services, 'spreadsheets', page, { purpose: c, search, ...linked }, EXPECTED)
    return await choicesFrom(found, services, ({ title, fileType, url, info }) => {
      if (c === 'mailmerge') return services.sign('setRequestedSpreadsheet', { c, fileType, url })
      const ofFile = info && {
        key: services.keys.of(info),
        referenceData: { fileKey: info.fileId, instanceId: services.instanceId() }
      }
      return services.sign('setReferenceSource', { fileType, path: title, url, ...ofFile })
    })
  }
}

/**
 * The file that a cell links to, as the argument of `setReferenceData`, with its present data from open editors, and
 * the URL of its page.
 */
const reference: PageAction<'reference'> = {
  summary: 'Find the file that a cell links to',
  needs: 'any',
  option: 'reference',
  cost: 1,
  async run (page, services) {
    const { storage, createControl, sign, instanceId } = services
    const { path, referenceData: given, link } = page.body
    const { preset } = page.claims.defaults
    if ((path ?? given ?? link) === undefined) {
      throw new InvalidActionError('it names no file: set path, link or referenceData')
    }
    const file = await callHook(
      services, 'reference', page, { ...linkedOf(page.body), link }, '{ fileId, title } or null'
    )
    const info = file && await storage.stat(file.fileId)
    if (!info) return NOT_FOUND
    const { fileId, fileType } = info
    const control = createControl({ mode: 'view', ...(preset && { preset }) }, page.request)
    const { documentKey: key, documentName, documentUrl: url } =
      await control.openDocument(fileId, { title: file.title })
    const referenceData = { fileKey: fileId, instanceId: instanceId() }
    const linked = { fileType, key, path: documentName, url, referenceData }
    return { ...sign('setReferenceData', linked), page: await pageOf(page, services, fileId) }
  }
}

/** `sign` makes the argument of the editor's method. */
async function choicesFrom (
  found: readonly FileChoice[], services: ActionServices, sign: (file: ChosenFile) => object
) {
  const inTurn = limitConcurrency({ concurrency: LOOKED_UP_AT_ONCE })
  const choices = await Promise.all(found.slice(0, MAX_CHOICES).map(async choice => {
    const file = await inTurn(async () => await chosenFile(services, choice))
    return file ? [{ title: file.title, fileType: file.fileType, thumbnail: choice.thumbnail, data: sign(file) }] : []
  }))
  return { choices: choices.flat() }
}

/** `undefined` for a file that was deleted meanwhile. */
async function chosenFile (
  { storage, urls }: ActionServices, { title, fileId, fileType, url }: FileChoice
): Promise<ChosenFile | undefined> {
  if (fileId === undefined) return { title, fileType: fileType.toLowerCase(), url }
  const info = await storage.stat(fileId)
  return info
    ? { title, fileType: info.fileType, url: urls.download(info.fileId, { lifetime: CHOICE_LIFETIME_MS }), info }
    : undefined
}

/** Drops other fields. */
function linkedOf ({ path, referenceData }: Linked) {
  const { fileKey, instanceId } = referenceData ?? {}
  return { path, referenceData: referenceData && withoutUndefined({ fileKey, instanceId }) }
}

/**
 * Fetches a copy that the document server has made, and stores it or hands it to the application. If no editor opens
 * its format, the page downloads it.
 */
const saveAs: PageAction<'saveAs'> = {
  summary: 'Save a copy',
  needs: 'download',
  option: 'saveAs',
  cost: 10,
  async run (page, services) {
    const { fetchResult, opens } = services
    const result = checkedResult(page.body, services)
    const title = similarTitle(page.body.title, result.fileType)
    if (!await opens(result.fileType)) return { title, isDownload: true }
    const file = await fetchResult(result, {
      namedByPage: true,
      failure: (reason, options) => new UpstreamError(reason, { ...options, retryable: false })
    })
    const { fileId, title: storedTitle = title, url: pageUrl } = await store(file, title, page, services)
    const shownUrl = pageUrl ?? (fileId === undefined ? undefined : await pageOf(page, services, fileId))
    return { title: storedTitle, fileId, url: shownUrl }
  }
}

export const fileActions = { images, documents, spreadsheets, reference, saveAs }

/**
 * Checks a file that a page names: it must be one that the document server has made for an editor, whatever other
 * options allow. The request checks this, too, and where redirects lead.
 */
export function checkedResult (
  { url: given, fileType: type }: NamedResult, { settings: { documentServer } }: ActionServices
): NamedResult {
  const fileType = type.toLowerCase()
  // Without this check, files would get names such as `copy.php`.
  if (resultMediaTypeOf(fileType) === 'application/octet-stream') {
    throw new InvalidActionError('the document server does not make files of this type')
  }
  const url = parseHttpUrl(given)
  if (!isResultAt(documentServer.publicOrigins, url)) throw notAResult(url)
  return { url: url.href, fileType }
}

/** A file that was cut off is not stored, even if a hook does not notice. */
async function store (
  file: ResultFile, title: string, page: PageRequest, services: ActionServices
): Promise<SaveAsResult> {
  const { actions, timeouts } = services.settings
  const { body: content, fileType, size } = file
  try {
    const result = actions.saveAs === true
      ? { fileId: await create(file, title, page, services) }
      : await callHook(
        services, 'saveAs', page, { title, fileType, content, size },
        '{ fileId?, url?, title? } with an http(s) URL or a path', timeouts.total
      )
    if (content.errored) throw content.errored
    return result ?? {}
  } catch (error) {
    throw content.errored ?? error
  } finally {
    discard(content)
  }
}

async function create (
  { body, fileType }: ResultFile, title: string, page: PageRequest, services: ActionServices
): Promise<string> {
  const { storage, inspected, settings, log } = services
  const { fileId, defaults: { user } } = page.claims
  const staged = await storage.stage(fileId, body)
  try {
    const users = user?.id === undefined ? {} : { users: [user.id] }
    const about = { reason: 'copy' as const, fileId, fileType, ...users }
    const { fileId: copyFileId } = await inspected(staged, about, async copy => await storage.create(fileType, copy))
    if (settings.actions.copied) {
      await callHook(services, 'copied', page, { copyFileId, title, fileType })
        .catch(err => log.error({ err, fileId, copyFileId }, 'the hook actions.copied failed: the copy stays'))
    }
    return copyFileId
  } finally {
    await storage.discard(staged)
  }
}
