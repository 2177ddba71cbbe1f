import type { EditorControl, EditorControlDefaults } from '../../types/control.js'
import type { FileInfo, Storage } from '../../types/storage.js'
import type { PdfConverter } from '../document-server/conversion.js'
import { extensionOf } from '../document-server/formats.js'
import type { TokenSigner } from '../document-server/token.js'
import { FileNotFoundError, InvalidNameError, NoDocumentError } from '../errors.js'
import { heard } from '../readable.js'
import { conversionKey, type DocumentKeys } from '../sessions/document-key.js'
import type { Sessions } from '../sessions/sessions.js'
import type { HandlerUrls } from '../security/handler-urls.js'
import { signedConfig } from './config.js'
import { type PageAddresses, renderFragment } from './page.js'

export interface ControlDependencies {
  readonly storage: Storage
  readonly sessions: Sessions
  readonly tokens: TokenSigner
  readonly urls: HandlerUrls
  readonly convertToPdf: PdfConverter
  readonly addresses: PageAddresses
  readonly keys: DocumentKeys
}

interface Opened {
  readonly info: FileInfo
  readonly documentUrl: string
  readonly callbackUrl: string
}

/** Makes a control for one document in one page. */
export function createControl (dependencies: ControlDependencies, defaults: EditorControlDefaults = {}): EditorControl {
  const { storage, sessions, tokens, urls, keys } = dependencies
  let opened: Opened | null = null

  const control: EditorControl = {
    documentName: '',
    documentKey: '',
    documentUrl: '',
    callbackUrl: '',

    get hasDocument () {
      return [control.documentUrl, control.documentName, control.documentKey].every(text => text.trim() !== '')
    },

    get proxyToken () {
      return control.hasDocument ? urls.proxyToken(shownFileId()) : ''
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
      await show(info, name ?? `${info.fileId}.${info.extension}`)
      return control
    },

    async setDocumentFromBytes (content, name) {
      heard(content)
      const extension = extensionOf(name)
      if (extension === '') throw new InvalidNameError()
      const info = await storage.create(extension, content)
      await show(info, name)
      return info.fileId
    },

    async convertToPdf (options) {
      if (!control.hasDocument) throw new NoDocumentError()
      const { documentKey: key, documentUrl: url, documentName: title } = control
      // The key of a live session stays while its force saves change the content, so it can't name the content.
      const file = shownFile()
      const stored = file && await storage.stat(file.fileId)
      const content = stored ? keys.of(stored) : conversionKey(key, url)
      return dependencies.convertToPdf({ key: conversionKey(content, 'pdf'), url, filetype: extension(), title }, options)
    },

    render () {
      return renderFragment({ configJson: control.configJson, fileId: shownFileId(), proxyToken: control.proxyToken }, dependencies.addresses)
    }
  }
  return control

  async function show (info: FileInfo, name: string): Promise<void> {
    control.documentKey = await sessions.keyFor(info)
    control.documentName = name
    control.documentUrl = urls.download(info.fileId)
    control.callbackUrl = urls.callback(info.fileId)
    opened = { info, documentUrl: control.documentUrl, callbackUrl: control.callbackUrl }
  }

  /** The stored file in the page, unless the host has set another address. */
  function shownFile (): FileInfo | null {
    return opened && control.documentUrl === opened.documentUrl ? opened.info : null
  }

  function shownFileId (): string {
    return shownFile()?.fileId ?? ''
  }

  /** A callback under a key of the host's own is taken only at a URL that is signed for it. */
  function callbackUrlFor (key: string): string {
    const { callbackUrl } = control
    if (opened === null || callbackUrl !== opened.callbackUrl || keys.isFor(opened.info.fileId, key)) return callbackUrl
    return urls.callback(opened.info.fileId, key)
  }

  function extension (): string {
    return shownFile()?.extension ?? extensionOf(control.documentName)
  }
}
