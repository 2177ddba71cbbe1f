import { useRef, useState } from 'react'
import type { DocumentEditor } from 'fastify-onlyoffice/browser/react-types' // adds the element to JSX
import 'fastify-onlyoffice/browser/document-editor' // defines <document-editor>

interface Props {
  fileId: string
  title: string
  onClosed: () => void
}

/**
 * A document in its editor. The element fetches what `control.render()` returns, and answers the editor's events.
 * React removes an element at once, and with it what was typed in the last moments. So the page is left in two steps:
 * `close()` waits until everything is sent, then `onClosed` may remove this component.
 */
export function EditorPage ({ fileId, title, onClosed }: Props) {
  const editor = useRef<DocumentEditor>(null)
  const [isChanged, setChanged] = useState(false)
  const [isClosing, setClosing] = useState(false)
  const [problem, setProblem] = useState('')

  async function close () {
    setClosing(true)
    try {
      await editor.current?.close()
      onClosed()
    } catch { // UnsentChangesError: the editor is still there
      setClosing(false)
      setProblem('Your last changes have not been sent yet. Check your connection, then try again.')
    }
  }

  return (
    <div className='page'>
      <header><button type='button' disabled={isClosing} onClick={close}>Back to the documents</button> <h1>{title}</h1> {isChanged && 'Sending changes…'} <span role='alert'>{problem}</span></header>
      <main>
        <document-editor
          ref={editor}
          src={`/documents/${encodeURIComponent(fileId)}/editor`}
          ondocumentstatechange={({ detail }) => setChanged(detail)}
        />
      </main>
    </div>
  )
}
