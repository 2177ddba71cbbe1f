import { useRef } from 'react'
import type { DocumentEditor } from 'fastify-onlyoffice/browser/react-types'
import 'fastify-onlyoffice/browser/document-editor'

export function Page () {
  const editor = useRef<DocumentEditor>(null)
  return (
    <main>
      <document-editor ref={editor} key='a' src='/documents/report/editor' events='onRequestClose' id='editor' style={{ height: '100%' }} onClick={() => editor.current?.isUnsent}>
        <p>Wait a moment</p>
      </document-editor>
      {/* @ts-expect-error */}
      <document-editor src={7} />
      {/* @ts-expect-error */}
      <document-editor source='/documents/report/editor' />
      {/* @ts-expect-error */}
      <document-viewer />
      {console.log(document.querySelector('document-editor') satisfies DocumentEditor | null)}
    </main>
  )
}
