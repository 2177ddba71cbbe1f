import type { EditorControl, EditorControlDefaults } from '../../types/control.js'
import type { FileInfo, Storage } from '../../types/storage.js'
import { conversionKey, type PdfConverter } from '../document-server/conversion.js'
import { extensionOf } from '../document-server/formats.js'
import type { TokenSigner } from '../document-server/token.js'
import { FileNotFoundError, InvalidNameError, NoDocumentError } from '../errors.js'
import { deferErrors } from '../streams.js'
import type { DocumentKeys } from '../sessions/document-key.js'
import type { Sessions } from '../sessions/sessions.js'
import type { HandlerUrls } from '../security/handler-urls.js'
import { signedConfig } from './config.js'
import { type PageUrls, renderFragment } from './page.js'

export interface ControlDependencies {
  readonly storage: Storage
  readonly sessions: Sessions
  readonly tokens: TokenSigner
  readonly urls: HandlerUrls
  readonly convertToPdf: PdfConverter
  readonly pageUrls: PageUrls
  readonly keys: DocumentKeys
}

interface Opened {
  readonly info: FileInfo
  readonly documentUrl: string
  readonly callbackUrl: string
}

/** Creates a control for one document in one page. */
export function createControl (dependencies: ControlDependencies, defaults: EditorControlDefaults = {}): EditorControl {
  const { storage, sessions, tokens, urls, keys } = dependencies
  let opened: Opened | null = null

  const control: EditorControl = {
    documentName: '',
    documentKey: '',
    documentUrl: '',
    callbackUrl: '',

    get hasDocument () {
      return [control.documentUrl, control.documentName, control.documentKey].every(value => value.trim() !== '')
    },

    get proxyToken () {
      return control.hasDocument ? urls.proxyToken(openedFileId()) : ''
    },

    get config () {
      if (!control.hasDocument) return null
      const { documentName: name, documentKey: key, documentUrl: url } = control
      return signedConfig({ name, key, url, callbackUrl: callbackUrlFor(key), extension: extension() }, defaults, tokens)
    },

    get configJson () {
      return JSON.stringify(control.config)
    },

    async openDocument (fileId, { name } = {}) {
      const info = await storage.stat(fileId)
      if (!info) throw new FileNotFoundError()
      await open(info, name ?? `${info.fileId}.${info.extension}`)
      return control
    },

    async setDocumentFromBytes (content, name) {
      deferErrors(content)
      const extension = extensionOf(name)
      if (extension === '') throw new InvalidNameError()
      const info = await storage.create(extension, content)
      await open(info, name)
      return info.fileId
    },

    async convertToPdf (options) {
      if (!control.hasDocument) throw new NoDocumentError()
      const { documentKey: key, documentUrl: url, documentName: title } = control
      // A live session keeps its key when a force save changes the content: the key does not identify the content.
      const file = openedFile()
      const stored = file && await storage.stat(file.fileId)
      const content = stored ? keys.of(stored) : conversionKey(key, url)
      return dependencies.convertToPdf({ key: conversionKey(content, 'pdf'), url, filetype: extension(), title }, options)
    },

    render () {
      return renderFragment({ configJson: control.configJson, fileId: openedFileId(), proxyToken: control.proxyToken }, dependencies.pageUrls)
    }
  }
  return control

  async function open (info: FileInfo, name: string): Promise<void> {
    control.documentKey = await sessions.keyFor(info)
    control.documentName = name
    control.documentUrl = urls.download(info.fileId)
    control.callbackUrl = urls.callback(info.fileId)
    opened = { info, documentUrl: control.documentUrl, callbackUrl: control.callbackUrl }
  }

  /** The stored file that was opened, unless the application has set another `documentUrl` since. */
  function openedFile (): FileInfo | null {
    return opened && control.documentUrl === opened.documentUrl ? opened.info : null
  }

  function openedFileId (): string {
    return openedFile()?.fileId ?? ''
  }

  /** A `documentKey` that the application sets itself must be signed into the callback URL. */
  function callbackUrlFor (key: string): string {
    const { callbackUrl } = control
    if (opened === null || callbackUrl !== opened.callbackUrl || keys.isForFile(opened.info.fileId, key)) return callbackUrl
    return urls.callback(opened.info.fileId, key)
  }

  function extension (): string {
    return openedFile()?.extension ?? extensionOf(control.documentName)
  }
}
