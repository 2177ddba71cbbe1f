import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { EditorPage } from './editor-page.tsx'
import './main.css'

interface StoredDocument {
  fileId: string
  name: string
}

function App () {
  const [documents, setDocuments] = useState<StoredDocument[]>([])
  const [opened, setOpened] = useState<string>()
  const [problem, setProblem] = useState('')
  useEffect(() => { fetchDocuments().then(setDocuments, () => setProblem('The documents could not be loaded.')) }, [])

  if (opened !== undefined) return <EditorPage key={opened} fileId={opened} onClosed={() => setOpened(undefined)} />
  return (
    <main>
      <h1>Documents</h1>
      <ul>{documents.map(({ fileId, name }) => <li key={fileId}><button type='button' onClick={() => setOpened(fileId)}>{name}</button></li>)}</ul>
      <p role='alert'>{problem}</p>
    </main>
  )
}

async function fetchDocuments (): Promise<StoredDocument[]> {
  const response = await fetch('/documents')
  if (!response.ok) throw new Error(`/documents answered ${response.status}`)
  return await response.json()
}

createRoot(document.getElementById('root')!).render(<StrictMode><App /></StrictMode>)
