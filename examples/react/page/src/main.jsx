import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { EditorPage } from './editor-page.jsx'
import './main.css'

function App () {
  const [documents, setDocuments] = useState([])
  const [opened, setOpened] = useState(null)
  const [problem, setProblem] = useState('')
  useEffect(() => { fetchDocuments().then(setDocuments, () => setProblem('The documents could not be loaded.')) }, [])

  if (opened !== null) return <EditorPage key={opened} fileId={opened} onClosed={() => setOpened(null)} />
  return (
    <main>
      <h1>Documents</h1>
      <ul>{documents.map(({ fileId, name }) => <li key={fileId}><button type='button' onClick={() => setOpened(fileId)}>{name}</button></li>)}</ul>
      <p role='alert'>{problem}</p>
    </main>
  )
}

async function fetchDocuments () {
  const response = await fetch('/documents')
  if (!response.ok) throw new Error(`/documents answered ${response.status}`)
  return await response.json()
}

createRoot(document.getElementById('root')).render(<StrictMode><App /></StrictMode>)
