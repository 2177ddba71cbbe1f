import { DocumentEditor } from '@onlyoffice/document-editor-react'
import { useRef, useState } from 'react'
import { fetchJson } from './fetch-json.js'

const ID = 'editor'
const QUIET_MS = 500

/** `config` is `control.config` of the server, as it is: its token covers it. */
export function EditorPage ({ fileId, documentServerUrl, config, onClosed }) {
  const [problem, setProblem] = useState('')
  const isUnsent = useRef(false)
  const closing = useRef(false)
  const timer = useRef(0)

  /** Removing the component destroys the editor at once, so it stays until everything is sent. */
  function closeWhenSent () {
    clearTimeout(timer.current)
    if (closing.current && !isUnsent.current) timer.current = setTimeout(onClosed, QUIET_MS)
  }

  const events = {
    onDocumentStateChange ({ data }) {
      isUnsent.current = data
      closeWhenSent()
    },
    onRequestClose () {
      closing.current = true
      closeWhenSent()
    },
    /** The document was saved since the configuration was made. */
    async onRequestRefreshFile () {
      const fresh = await fetchJson(`/documents/${fileId}/config`)
      window.DocEditor.instances[ID].refreshFile(fresh.config)
    },
    onError ({ data }) {
      setProblem(data.errorDescription)
    }
  }

  return (
    <div className='editor'>
      {problem !== '' && <p role='alert'>{problem} <button type='button' onClick={onClosed}>Back to the documents</button></p>}
      <DocumentEditor
        id={ID}
        documentServerUrl={documentServerUrl}
        config={{ ...config, events }}
        onLoadComponentError={(_code, description) => setProblem(description)}
      />
    </div>
  )
}
