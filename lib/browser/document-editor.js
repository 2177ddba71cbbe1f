// The element <document-editor>, for pages without a framework: importing this module defines it.
import { dispatchError, element, styleSheet } from './page.js'
import { stateOf } from './fragment.js'
import { captureDocument, mountEditor, unmountEditor } from './index.js'

/** @import { DocEditor, FileType } from '@onlyoffice/doceditor-types' */

const FRAGMENT = '[data-onlyoffice-editor]'

/** `fragmentType` of the package. Nothing else that the origin serves has it, such as uploads of users. */
const FRAGMENT_TYPE = 'text/vnd.fastify-onlyoffice.fragment+html'

const useStyle = styleSheet(`
:where(document-editor) { display: block }
:where(document-editor) > :where(${FRAGMENT}) { height: 100% }
`)

/**
 * An editor with its document. It contains the output of `control.render()`, or fetches it from the URL in its
 * attribute `src`, which must be of the page's origin and answer with the media type
 * `text/vnd.fastify-onlyoffice.fragment+html`.
 *
 * The editor's events reach the element as DOM events such as `documentready`. Name those that change what the editor
 * shows in its attribute `events`, as ONLYOFFICE does: `onRequestClose`. If the document cannot be fetched or mounted,
 * the element gets the attribute `data-error`, and there is an event `editorerror` with `errorCode` 0.
 *
 * When the element is removed from the page, its frame is gone at once, and with it what was typed in the last moments:
 * await `close()` before. `isUnsent` shows whether something would be lost, except in an open cell of a spreadsheet.
 * @example
 * ```html
 * <script type="module" src="/Controls/Editor/EditorHandler.ashx/assets/document-editor.js"></script>
 * <document-editor src="/documents/report/editor"></document-editor>
 * ```
 */
export class DocumentEditor extends HTMLElement {
  static observedAttributes = ['src']

  /** Number of the latest opening. */
  #opening = 0
  /** @type {HTMLElement | null} */
  #fragment = null

  /** URL that the editor is fetched from; `''` if the element contains it. */
  get src () {
    return this.getAttribute('src') ?? ''
  }

  set src (url) {
    this.setAttribute('src', url)
  }

  /**
   * Whether the editor has changes that the document server does not have. What is typed into an open cell of a
   * spreadsheet is not known: the editor asks the user about it on `close()`.
   */
  get isUnsent () {
    return this.#fragment !== null && stateOf(this.#fragment).editor?.changes.isUnsent() === true
  }

  /**
   * The mounted editor: `null` if the control has no document. Rejects if it cannot be mounted.
   * @returns {Promise<DocEditor | null>}
   */
  async editor () {
    return this.#fragment && await mountEditor(this.#fragment)
  }

  /**
   * `captureDocument` of this editor.
   * @param {{ fileType?: FileType, signal?: AbortSignal }} [options]
   * @returns {Promise<File>}
   */
  async capture (options = {}) {
    return await captureDocument({ ...options, fragment: this.#fragment ?? this })
  }

  /**
   * `unmountEditor` of this editor: resolves when everything is sent and the editor is gone. In a spreadsheet with an
   * open cell the editor asks the user first.
   * @param {{ force?: boolean, timeout?: number }} [options]
   */
  async close (options) {
    if (this.#fragment) await unmountEditor(this.#fragment, options)
  }

  connectedCallback () {
    useStyle()
    // While the page is being parsed, the content is yet to come.
    if (document.readyState === 'loading') {
      document.addEventListener('DOMContentLoaded', () => this.#open(), { once: true })
    } else this.#open()
  }

  disconnectedCallback () {
    this.#opening++
    if (this.#fragment) unmountEditor(this.#fragment, { force: true }).catch(console.error)
  }

  /**
   * @param {string} _name
   * @param {string | null} before
   * @param {string | null} now
   */
  attributeChangedCallback (_name, before, now) {
    if (before !== now && this.isConnected && this.#opening > 0) this.#open()
  }

  async #open () {
    const opening = ++this.#opening
    const isLatest = () => opening === this.#opening && this.isConnected
    if (!isLatest()) return
    this.removeAttribute('data-error')
    try {
      if (this.src !== '') await this.close()
      const fragment = this.src === ''
        ? /** @type {HTMLElement | null} */ (this.querySelector(FRAGMENT))
        : await fetchRendered(this.src)
      if (!isLatest() || fragment === null) return
      this.#fragment = fragment
      if (this.src !== '') this.replaceChildren(fragment)
      const events = `${fragment.dataset.events ?? ''} ${this.getAttribute('events') ?? ''}`.split(/\s+/)
      fragment.dataset.events = [...new Set(events)].join(' ').trim()
      await mountEditor(fragment)
    } catch (error) {
      if (isLatest()) dispatchError(this, /** @type {Error} */ (error))
    }
  }
}

/**
 * @param {string} src
 * @returns {Promise<HTMLElement>}
 */
async function fetchRendered (src) {
  const url = new URL(src, document.baseURI)
  // The answer names the script to load.
  if (url.origin !== location.origin) {
    throw new Error(`document-editor: src must be of the page's origin, not ${url.origin}`)
  }
  const response = await fetch(url, { headers: { accept: FRAGMENT_TYPE } })
  if (!response.ok) throw new Error(`document-editor: ${url.pathname} answered ${response.status}`)
  if (new URL(response.url).origin !== location.origin) {
    throw new Error('document-editor: src was redirected to another origin')
  }
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';', 1)
  if (type.trim().toLowerCase() !== FRAGMENT_TYPE) {
    throw new Error(`document-editor: the answer of ${url.pathname} is not of the media type ${FRAGMENT_TYPE}`)
  }
  const fragment = readRendered(await response.text())
  if (fragment === null) throw new Error(`document-editor: ${url.pathname} is not the output of control.render()`)
  return fragment
}

if (!customElements.get('document-editor')) customElements.define('document-editor', DocumentEditor)

// The fragment in the output of `control.render()`.

/**
 * Copies only the fragment's data: nothing else of the HTML gets into the page.
 * @param {string} html
 * @returns {HTMLElement | null}
 */
export function readRendered (html) {
  const rendered = new DOMParser().parseFromString(html, 'text/html').querySelector('[data-onlyoffice-editor]')
  if (!(rendered instanceof HTMLElement)) return null
  const [data, placeholder] = rendered.children
  if (!(data instanceof HTMLScriptElement) || !placeholder) return null

  const fragment = element('div', 'onlyoffice-editor')
  Object.assign(fragment.dataset, rendered.dataset)
  if (rendered.lang !== '') fragment.lang = rendered.lang
  const config = Object.assign(document.createElement('script'), { type: 'application/json', text: data.text })
  const editor = Object.assign(document.createElement('div'), { id: placeholder.id })
  fragment.append(config, editor)
  return fragment
}
