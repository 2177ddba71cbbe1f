import type { EditorControl, EditorControlDefaults } from '../../types/control.js'
import type { FileInfo, Storage } from '../../types/storage.js'
import type { PdfConverter } from '../document-server/conversion.js'
import { extensionOf } from '../document-server/formats.js'
import type { TokenSigner } from '../document-server/token.js'
import { FileNotFoundError, InvalidNameError, NoDocumentError } from '../errors.js'
import { conversionKey, type DocumentKeys } from '../save/document-key.js'
import type { Sessions } from '../save/sessions.js'
import { signedConfig } from './config.js'
import type { HandlerUrls } from './handler-urls.js'
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

/** Makes a control for one document in one page. */
export function createControl (dependencies: ControlDependencies, defaults: EditorControlDefaults = {}): EditorControl {
  const { storage, sessions, tokens, urls, keys } = dependencies
  let opened: FileInfo | null = null

  const control: EditorControl = {
    documentName: '',
    documentKey: '',
    documentUrl: '',
    callbackUrl: '',

    get hasDocument () {
      return [control.documentUrl, control.documentName, control.documentKey].every(text => text.trim() !== '')
    },

    get config () {
      if (!control.hasDocument) return null
      const { documentName: name, documentKey: key, documentUrl: url, callbackUrl } = control
      return signedConfig({ name, key, url, callbackUrl, extension: extension() }, defaults, tokens)
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
      return renderFragment(control.configJson, dependencies.addresses)
    }
  }
  return control

  async function show (info: FileInfo, name: string): Promise<void> {
    const key = await sessions.keyFor(info)
    opened = info
    control.documentName = name
    control.documentKey = key
    control.documentUrl = urls.download(info.fileId)
    control.callbackUrl = urls.callback(info.fileId)
  }

  /** The stored file in the page, unless the host has set another address. */
  function shownFile (): FileInfo | null {
    return opened && control.documentUrl === urls.download(opened.fileId) ? opened : null
  }

  function extension (): string {
    return shownFile()?.extension ?? extensionOf(control.documentName)
  }
}
