import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { EditorPage } from './editor-page.jsx'
import { fetchJson } from './fetch-json.js'

function App () {
  const [documents, setDocuments] = useState([])
  const [opened, setOpened] = useState(null)
  const [problem, setProblem] = useState('')
  useEffect(() => { fetchJson('/documents').then(setDocuments, () => setProblem('The documents could not be loaded.')) }, [])

  async function open (fileId) {
    setProblem('')
    try {
      setOpened({ fileId, ...await fetchJson(`/documents/${fileId}/config`) })
    } catch {
      setProblem('The document could not be opened.')
    }
  }

  if (opened !== null) return <EditorPage {...opened} onClosed={() => setOpened(null)} />
  return (
    <main>
      <h1>Documents</h1>
      <ul>
        {documents.map(({ fileId, name }) => <li key={fileId}><button type='button' onClick={() => open(fileId)}>{name}</button></li>)}
      </ul>
      <p role='alert'>{problem}</p>
    </main>
  )
}

createRoot(document.getElementById('root')).render(<StrictMode><App /></StrictMode>)
