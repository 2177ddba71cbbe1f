// The script that a page embeds. It defines `DocsAPI.DocEditor` like ONLYOFFICE Docs and shows the editor page in a
// frame.
(() => {
  /**
   * @typedef {{ type: 'editor', event: string, data?: unknown }} FrameMessage
   * @typedef {Record<string, unknown> & { type?: string, document?: { fileType?: string }, width?: string, height?: string, events?: Record<string, (event: object) => void> }} EditorOptions
   */
  const script = /** @type {HTMLScriptElement} */ (document.currentScript)
  const base = script.src.replace(/\/web-apps\/.*$/, '')
  const { origin } = new URL(base)

  /** Methods with which a page answers events, or acts on the editor. Each takes one argument. */
  const METHODS = [
    'refreshHistory',
    'setHistoryData',
    'insertImage',
    'setRequestedDocument',
    'setRequestedSpreadsheet',
    'setReferenceData',
    'setReferenceSource',
    'setUsers',
    'setActionLink',
    'setSharingSettings',
    'setFavorite',
    'refreshFile'
  ]

  const FILE_TYPES = `
    doc docm docx docxf dot dotm dotx epub fb2 fodt hml htm html hwp hwpx md mht mhtml odt oform ott pages rtf stw sxw txt wps wpt xml
    csv et ett fods numbers ods ots scsv sxc tsv xls xlsb xlsm xlsx xlt xltm xltx
    dps dpt fodp key odg odp otp pot potm potx pps ppsm ppsx ppt pptm pptx sxi
    djvu oxps pdf xps vsdm vsdx vssm vssx vstm vstx`.trim().split(/\s+/)

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
    const { fileType = '' } = config.document ?? {}
    if (!FILE_TYPES.includes(fileType)) return alert(`DocsAPI.DocEditor: no editor opens files of the type ${fileType}`)
    const frame = editorFrame(config)
    placeholder.replaceWith(frame)
    addEventListener('message', receive)

    /** @param {MessageEvent} message */
    function receive (message) {
      if (message.source !== frame.contentWindow || message.origin !== origin) return
      const { type, event, data: detail } = /** @type {FrameMessage} */ (message.data)
      if (type !== 'editor') return
      if (event === 'ready') {
        send('open', { config: copyOf(data), events: Object.keys(events) })
      } else if (event === 'reload') {
        location.reload()
      } else {
        events[event]?.call(editor, { data: event === 'onRequestOpen' ? inNewWindow(detail) : detail, target: editor })
      }
    }

    /**
     * @param {string} command
     * @param {object} [detail]
     */
    function send (command, detail = {}) {
      frame.contentWindow?.postMessage({ type: 'page', command, ...detail }, origin)
    }

    const editor = {
      ...Object.fromEntries(
        METHODS.map(command => [command, (/** @type {unknown} */ data) => send(command, { data: copyOf(data) })])
      ),
      /** Removes the editor from the page at once: what was typed and not sent is lost. */
      destroyEditor () {
        if (!frame.isConnected) return
        removeEventListener('message', receive)
        frame.replaceWith(/** @type {HTMLElement} */ (placeholder))
      },
      /** Answers with the event `onDownloadAs`. @param {string} [format] */
      downloadAs (format) {
        send('downloadAs', { format: format ?? '' })
      },
      /** Raises `onRequestClose`, like the editor's close button. Asks the user first if something was not sent. */
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

  /** Without functions, which can't be sent to a frame. @param {unknown} data */
  function copyOf (data) {
    return JSON.parse(JSON.stringify(data ?? null))
  }

  /**
   * Opens the window in which the page shows another document: browsers allow that only right after a click.
   * @param {unknown} data
   */
  function inNewWindow (data) {
    const windowName = `wname-${Date.now()}`
    open('', windowName)
    return Object.assign({ windowName }, data)
  }

  /** The device does not matter: `type` decides. @param {EditorOptions} config */
  function editorFrame ({ type, width, height }) {
    const frame = document.createElement('iframe')
    frame.name = 'frameEditor'
    frame.title = 'Document editor'
    frame.src = `${base}/web-apps/apps/documenteditor/${type === 'mobile' ? 'mobile' : 'main'}/index.html?parentOrigin=${encodeURIComponent(location.origin)}`
    frame.allow = 'clipboard-read; clipboard-write'
    frame.style.width = width ?? '100%'
    frame.style.height = height ?? '100%'
    frame.style.border = '0'
    frame.style.display = 'block'
    return frame
  }

  Object.assign(window, { DocsAPI: { DocEditor } })
})()
