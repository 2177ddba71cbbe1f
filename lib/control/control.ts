import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { CreateDocumentOptions, CreateFromOptions, TemplateFile } from '../../types/blank.js'
import type {
  ControlConvertOptions, EditorControl, EditorControlDefaults, ForceSaveResult, SignedConfig,
  ThumbnailRequest
} from '../../types/control.js'
import type { ForceSaveMessage } from '../../types/diagnostics.js'
import type { StorageContent, StoredDocument } from '../../types/storage.js'
import { blankDocument, fileTypeMadeFrom, documentFrom } from '../blank/blank-document.js'
import { channels, reportEnd } from '../diagnostics.js'
import { conversionKey } from '../document-server/conversion-service.js'
import { extensionOf, SEPARATORS } from '../document-server/formats.js'
import { checkDocument } from '../document-server/content-check.js'
import {
  ControlBusyError, FileNotFoundError, InvalidNameError, InvalidOptionError, NoDocumentError, UnknownFormatError
} from '../errors.js'
import type { RestoringUser } from '../history/restore.js'
import type { Parts } from '../parts.js'
import type { Inspected } from '../services.js'
import type { Opening } from '../sessions/sessions.js'
import { contentFrom, discard } from '../util/streams.js'
import { AnyString, assertOptions, assertValue, withoutUndefined } from '../util/validate.js'
import { mayUse, type OfferedActions, renderedDefaults, viewingDefaults } from './defaults.js'
import {
  convertRules, convertToPdfRules, createFromRules, createRules, openRules, renderRules, requiredOfThumbnail,
  requiredToConvert, requiredToCreate, thumbnailRules, uploadRules, VersionNumber
} from './method-rules.js'
import { linksOf, type PageUrls, renderFragment, signedConfig } from './page.js'

/** Services for controls. */
export interface ControlServices extends Parts {
  readonly pageUrls: PageUrls
  readonly offered: OfferedActions
}

type VersionHistory = NonNullable<Parts['versionHistory']>

interface Opened {
  readonly options: Record<string, unknown> | undefined
  readonly info: StoredDocument
  readonly documentUrl: string
  readonly callbackUrl: string
  /** Why it opens for viewing only; `''` without a reason. */
  readonly lockReason: string | null
}

/** Creates a control for one document in one page. `request`: of the page, if it asks. */
export function createControl (
  services: ControlServices, defaults: EditorControlDefaults = {}, request?: FastifyRequest
): EditorControl {
  const {
    settings: { clock }, plugged: storage, sessions, tokens, urls, pageUrls, pageTokens, keys, conversions, offered,
    openings, whyAbsent
  } = services
  let opened: Opened | null = null
  /** Whether a call that opens a document has not ended yet. */
  let isOpening = false

  const control: EditorControl = {
    documentName: '',
    documentKey: '',
    documentUrl: '',
    callbackUrl: '',

    get fileId () {
      return openedFile()?.fileId ?? ''
    },

    get hasDocument () {
      const { documentUrl, documentName, documentKey, callbackUrl } = control
      for (const [name, value] of Object.entries({ documentUrl, documentName, documentKey, callbackUrl })) {
        assertValue(name, value, AnyString)
      }
      return [documentUrl, documentName, documentKey].every(value => value.trim() !== '')
    },

    get proxyToken () {
      return control.hasDocument ? urls.proxyToken(control.fileId) : ''
    },

    get lockReason () {
      // what is edited at another documentUrl is still saved to the file
      return openedFile() || control.callbackUrl === opened?.callbackUrl ? opened!.lockReason : null
    },

    get links () {
      return linksOf(pageUrls)
    },

    get config () {
      return configWith(defaults)
    },

    get pageToken () {
      return pageTokenWith(defaults)
    },

    get configJson () {
      return JSON.stringify(control.config)
    },

    async openDocument (fileId, options = {}) {
      assertValue('fileId', fileId, AnyString)
      assertOptions(openRules, options)
      const { title } = options
      await opening(async () => {
        const found = await sessions.find(fileId)
        if (!found) throw new FileNotFoundError(fileId, { reason: await whyAbsent(fileId) })
        const { info, opening } = found
        await assertOpens(info.fileType)
        const denied = services.hooks.canEdit(fileId, defaults, request)
        await open(info, title ?? `${info.fileId}.${info.fileType}`, opening(), denied)
      })
      return control
    },

    async uploadDocument (given, title, options = {}) {
      const content = contentFrom(given)
      assertOptions(uploadRules, options)
      const { check = false } = options
      await opening(async () => await storeAndOpen(title, async fileType => check
        ? await storeInspected(await checkDocument(content, title), fileType, { reason: 'upload' })
        : await storage.create(fileType, content)))
      return control
    },

    setDocumentFromBytes: async (content, title, options) => await control.uploadDocument(content, title, options),

    async createDocument (what: string | CreateFromOptions, given: CreateDocumentOptions = {}) {
      if (typeof what === 'object') {
        await opening(async () => await createFrom(what))
        return control
      }
      assertOptions(createRules, given)
      const { title = 'Untitled', ...options } = given
      const { lang } = defaults
      const content = blankDocument(what, { ...withoutUndefined({ lang }), ...options })
      return await control.uploadDocument(content, titleWith(title, what))
    },

    async convertToPdf (options = {}) {
      assertOptions(convertToPdfRules, options)
      if (!control.hasDocument) throw new NoDocumentError()
      const { documentUrl: url, documentName: title } = control
      return conversions.convertToPdf(
        { key: conversionKey(await contentKey(), 'pdf'), url, filetype: openedFileType(), title },
        options,
        openedFile()?.fileId
      )
    },

    async convert (given = {} as ControlConvertOptions) {
      assertOptions(convertRules, given, { required: requiredToConvert })
      if (!control.hasDocument) throw new NoDocumentError()
      const { signal, timeout, interval, onProgress, ...options } = given
      const fileType = openedFileType()
      if (fileType === '') throw new InvalidNameError()
      const { documentUrl: url, documentName: title } = control
      return await conversions.convert(
        { title, ...options, key: await contentKey(), url, fileType },
        withoutUndefined({ signal, timeout, interval, onProgress }),
        openedFile()?.fileId
      )
    },

    async thumbnail (request = {} as ThumbnailRequest) {
      assertOptions(thumbnailRules, request, { required: requiredOfThumbnail })
      const { width, height, aspect = 1, outputType = 'png', ...options } = request
      return await control.convert({ ...options, outputType, thumbnail: { aspect, first: true, width, height } })
    },

    async forceSave (options) {
      const { fileId } = storedFile()
      const { documentKey: key } = control
      return await reportEnd(
        channels.forceSave,
        { fileId, key },
        async () => await services.forceSaves.request(fileId, key, options),
        result => ({ outcome: forceSaveOutcome(result, fileId) })
      )
    },

    render (options = {}) {
      assertOptions(renderRules, options)
      if (!control.hasDocument && !mayBeEmpty(services.settings)) throw new NoDocumentError()
      const page = renderedDefaults(defaults, options)
      const pageToken = pageTokenWith(page)
      return renderFragment({
        ...options,
        lang: page.lang ?? '',
        configJson: JSON.stringify(configWith(page)),
        fileId: control.fileId,
        proxyToken: control.proxyToken,
        pageToken,
        renewAfter: pageTokens.renewAfter,
        lockReason: control.lockReason,
        actions: pageToken === '' ? [] : offered.namesFor(unlessLocked(page))
      }, pageUrls)
    },

    history: async () => await history(async (versions, { fileId }) => await versions.of(fileId)),

    async historyData (version) {
      assertValue('version', version, VersionNumber)
      return await history(async (versions, { fileId }) => await versions.dataOf(fileId, version))
    },

    async nameVersion (version, label) {
      assertValue('version', version, VersionNumber)
      await history(async (versions, { fileId }) => await versions.name(fileId, version, label))
    },

    async restore (version, options) {
      assertValue('version', version, VersionNumber)
      return await history(async (versions, { fileId }) => {
        const restore = async () => await versions.restore(fileId, version, userOf(defaults), options)
        return await reportEnd(channels.restore, { fileId, version }, restore, () => ({ outcome: 'restored' }))
      })
    }
  }
  return control

  async function createFrom (options: CreateFromOptions): Promise<void> {
    assertOptions(createFromRules, options, { required: requiredToCreate })
    const { from } = options
    if (typeof from !== 'string') return await createFromFile(from, options.title ?? from.title, { reason: 'upload' })
    const stored = await services.storage.read(from)
    if (!stored) throw new FileNotFoundError(from, { reason: await whyAbsent(from) })
    const { body, info: { fileType } } = stored
    try {
      await createFromFile({ content: body, title: `_.${fileType}` }, options.title ?? 'Untitled', {
        reason: 'copy',
        fileId: from
      })
    } finally {
      discard(body)
    }
  }

  /** Looks at the content of a template in any case, and of what is not stored. */
  async function createFromFile (
    { content, title: template }: TemplateFile, wanted: string, about: Pick<Inspected, 'reason' | 'fileId'>
  ): Promise<void> {
    const given = contentFrom(content)
    const templateType = extensionOf(template)
    const fileType = fileTypeMadeFrom(templateType)
    const base = extensionOf(wanted) === templateType ? wanted.trimEnd().slice(0, -templateType.length - 1) : wanted
    const title = titleWith(base, fileType)
    const isTemplate = fileType !== templateType
    const isStored = about.fileId !== undefined
    await storeAndOpen(title, async () => {
      if (isTemplate) return await storeInspected(await documentFrom(given, templateType), fileType, about)
      return await storeInspected(isStored ? given : await checkDocument(given, title), fileType, about)
    })
  }

  function configWith (given: EditorControlDefaults): SignedConfig | null {
    const defaults = unlessLocked(given)
    if (!control.hasDocument) {
      // A forgotten await: the page would be empty, and nothing would say why.
      if (isOpening) throw new NoDocumentError()
      return null
    }
    const { documentName: title, documentKey: key, documentUrl: url } = control
    const { fileId } = control
    const options = openedFile() ? opened?.options : undefined
    const document = { title, key, url, callbackUrl: callbackUrlFor(key), fileType: openedFileType(), options }
    const config = signedConfig(document, offered.completed(defaults, fileId), tokens, clock.now())
    const { mode, callbackUrl } = config.editorConfig ?? {}
    openings.pageMade(fileId, { key, edits: mode !== 'view' && callbackUrl !== undefined })
    return config
  }

  function unlessLocked (defaults: EditorControlDefaults): EditorControlDefaults {
    return control.lockReason === null ? defaults : viewingDefaults(defaults)
  }

  /**
   * A configuration that the page asks for later has the plugin's own key and callback URL: it must not replace one
   * that has others.
   */
  function pageTokenWith (defaults: EditorControlDefaults): string {
    const file = openedFile()
    if (
      file === null || !control.hasDocument || control.callbackUrl !== opened?.callbackUrl ||
      !keys.isForFile(file.fileId, control.documentKey)
    ) return ''
    const { documentName: title, documentKey: key } = control
    return pageTokens.make({ fileId: file.fileId, title, defaults, key })
  }

  async function history<Result> (
    call: (of: VersionHistory, file: StoredDocument) => Promise<Result>
  ): Promise<Result> {
    if (!services.versionHistory) {
      throw new InvalidOptionError('versions', 'must be set: without it no versions are kept')
    }
    return await call(services.versionHistory, storedFile())
  }

  /**
   * What identifies the content that is converted. A live session keeps its key when a force save changes the content.
   */
  async function contentKey (): Promise<string> {
    const { documentKey, documentUrl } = control
    const file = openedFile()
    const stored = file && await storage.stat(file.fileId)
    return stored ? keys.of(stored) : conversionKey(documentKey, documentUrl)
  }

  /** One call at a time: two would both end with the document of the later one. */
  async function opening<Result> (open: () => Promise<Result>): Promise<Result> {
    if (isOpening) throw new ControlBusyError()
    isOpening = true
    try {
      return await open()
    } finally {
      isOpening = false
    }
  }

  async function storeAndOpen (title: string, store: (fileType: string) => Promise<StoredDocument>): Promise<void> {
    const fileType = extensionOf(title)
    if (fileType === '') throw new InvalidNameError()
    await assertOpens(fileType)
    const info = await store(fileType)
    await open(info, title, sessions.openingOf(info))
  }

  async function storeInspected (
    content: StorageContent, fileType: string, about: Pick<Inspected, 'reason' | 'fileId'>
  ): Promise<StoredDocument> {
    if (!services.settings.inspect) return await storage.create(fileType, content)
    const staged = await storage.stage(randomUUID(), content)
    const { id } = defaults.user ?? {}
    try {
      return await services.inspected(
        staged,
        { ...about, fileType, ...(id !== undefined && { users: [id] }) },
        async content => await storage.create(fileType, content)
      )
    } finally {
      await staged.discard().catch(() => {})
    }
  }

  async function assertOpens (fileType: string): Promise<void> {
    if (!await services.opens(fileType)) throw new UnknownFormatError(fileType)
  }

  /** `denied`: why `canEdit` denies editing. */
  async function open (
    info: StoredDocument, title: string, opening: Promise<Opening>, denied: Promise<string | null> | null = null
  ): Promise<void> {
    const [{ key, hold }, lockReason, options] = await Promise.all([
      opening,
      denied,
      SEPARATORS.has(info.fileType) ? services.saves.documentOptions(info) : undefined
    ])
    control.documentKey = key
    control.documentName = title
    control.documentUrl = urls.download(info.fileId, { onlyWithToken: defaults.preset !== undefined })
    control.callbackUrl = urls.callback(info.fileId)
    const isLocked = hold !== undefined && mayUse(defaults, 'change')
    opened = {
      info,
      options,
      documentUrl: control.documentUrl,
      callbackUrl: control.callbackUrl,
      lockReason: isLocked ? hold.reason ?? '' : lockReason
    }
  }

  /** The stored file that was opened, unless the application has set another `documentUrl` since. */
  function openedFile (): StoredDocument | null {
    return opened && control.documentUrl === opened.documentUrl ? opened.info : null
  }

  /** Throws if there is none. */
  function storedFile (): StoredDocument {
    const file = openedFile()
    if (!control.hasDocument || file === null) throw new NoDocumentError()
    return file
  }

  /** A `documentKey` that the application sets itself must be signed into the callback URL. */
  function callbackUrlFor (key: string): string {
    const { callbackUrl } = control
    if (opened === null || callbackUrl !== opened.callbackUrl || keys.isForFile(opened.info.fileId, key)) {
      return callbackUrl
    }
    return urls.callback(opened.info.fileId, key)
  }

  function openedFileType (): string {
    return openedFile()?.fileType ?? extensionOf(control.documentName)
  }
}

/** Whether a page without a document is made, which says so. The original control made one, too. */
function mayBeEmpty ({ profile }: Parts['settings']): boolean {
  return profile === 'classic' || process.env.NODE_ENV === 'production'
}

function forceSaveOutcome (result: ForceSaveResult, fileId: string): ForceSaveMessage['outcome'] {
  if (!result.saved) return result.reason
  return result.stored.fileId === fileId ? 'saved' : 'conflict'
}

function titleWith (title: string, fileType: string): string {
  return extensionOf(title) === fileType ? title : `${title}.${fileType}`
}

/** The user of the page, as far as a version is attributed to one. */
function userOf (defaults: EditorControlDefaults): RestoringUser | undefined {
  const { id, name = '' } = defaults.user ?? {}
  return id === undefined ? undefined : { id, name }
}
