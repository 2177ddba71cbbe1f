import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { EditorPage } from './editor-page.tsx'
import './main.css'

interface StoredDocument {
  fileId: string
  title: string
}

function App () {
  const [documents, setDocuments] = useState<StoredDocument[]>([])
  const [opened, setOpened] = useState<StoredDocument>()
  const [problem, setProblem] = useState('')
  useEffect(() => { fetchDocuments().then(setDocuments, () => setProblem('The documents could not be loaded.')) }, [])

  if (opened !== undefined) return <EditorPage key={opened.fileId} {...opened} onClosed={() => setOpened(undefined)} />
  return (
    <main className='list'>
      <h1>Documents</h1>
      <ul>{documents.map(document => <li key={document.fileId}><button type='button' onClick={() => setOpened(document)}>{document.title}</button></li>)}</ul>
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
