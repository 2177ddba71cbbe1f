// The script that a page embeds. It defines `DocsAPI.DocEditor` like ONLYOFFICE Docs and shows the editor page in a frame.
(() => {
  /**
   * @typedef {{ type: 'editor', event: string, data?: unknown }} FrameMessage
   * @typedef {Record<string, unknown> & { width?: string, height?: string, events?: Record<string, (event: object) => void> }} EditorOptions
   */
  const script = /** @type {HTMLScriptElement} */ (document.currentScript)
  const base = script.src.replace(/\/web-apps\/.*$/, '')
  const { origin } = new URL(base)
  const LEAVE_TIMEOUT_MS = 4000

  /**
   * Replaces the element `placeholderId` with an editor.
   *
   * @param {string} placeholderId
   * @param {EditorOptions} config the signed configuration; `events` is not sent to the editor
   */
  function DocEditor (placeholderId, config) {
    const placeholder = document.getElementById(placeholderId)
    if (placeholder === null) throw new Error(`DocsAPI.DocEditor: there is no element with the id ${placeholderId}`)
    const { events = {}, ...data } = config
    const frame = editorFrame(config)
    placeholder.replaceWith(frame)
    addEventListener('message', receive)

    /** @param {MessageEvent} message */
    function receive (message) {
      if (message.source !== frame.contentWindow || message.origin !== origin) return
      const { type, event, data: detail } = /** @type {FrameMessage} */ (message.data)
      if (type !== 'editor') return
      if (event === 'ready') {
        send('open', { config: JSON.parse(JSON.stringify(data)), events: Object.keys(events) })
      } else if (event === 'gone') {
        if (frame.hidden) remove()
      } else if (event === 'reload') {
        location.reload()
      } else {
        events[event]?.call(editor, { data: detail, target: editor })
      }
    }

    /**
     * @param {string} command
     * @param {object} [detail]
     */
    function send (command, detail = {}) {
      frame.contentWindow?.postMessage({ type: 'page', command, ...detail }, origin)
    }

    function remove () {
      removeEventListener('message', receive)
      frame.remove()
    }

    const editor = {
      /** Removes the editor from the page, after it has sent what was typed. */
      destroyEditor () {
        if (!frame.isConnected || frame.hidden) return
        frame.hidden = true
        frame.style.display = 'none'
        frame.before(/** @type {HTMLElement} */ (placeholder))
        send('leave')
        setTimeout(remove, LEAVE_TIMEOUT_MS)
      },
      /** Answers with the event `onDownloadAs`. @param {string} [format] */
      downloadAs (format) {
        send('downloadAs', { format: format ?? '' })
      },
      /** Acts like the editor's close button: raises `onRequestClose`, or closes the editor. */
      requestClose () {
        send('requestClose')
      },
      /** @param {string} title @param {string} [message] */
      showMessage (title, message) {
        send('showMessage', { message: message ?? title })
      }
    }
    return editor
  }

  DocEditor.version = () => '9.3.0'

  /** @param {EditorOptions} config */
  function editorFrame ({ width, height }) {
    const frame = document.createElement('iframe')
    frame.name = 'frameEditor'
    frame.title = 'Document editor'
    frame.src = `${base}/web-apps/apps/documenteditor/main/index.html?parentOrigin=${encodeURIComponent(location.origin)}`
    frame.allow = 'clipboard-read; clipboard-write'
    frame.style.width = width ?? '100%'
    frame.style.height = height ?? '100%'
    frame.style.border = '0'
    frame.style.display = 'block'
    return frame
  }

  Object.assign(window, { DocsAPI: { DocEditor } })
})()
