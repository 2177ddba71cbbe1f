// <document-editor> in the JSX of React 18 and 19.
import type * as React from 'react'
import type { DocumentEditor, DocumentEditorAttributes, EditorEvents } from './document-editor.js'

export type * from './document-editor.js'

/** React 18 has no events of custom elements, and sets their properties as attributes, as they are called in HTML. */
type OfVersion = typeof React extends { useActionState: unknown }
  ? { [Name in keyof EditorEvents as `on${Name}`]?: ((event: EditorEvents[Name]) => void) | undefined }
  : { class?: string | undefined }

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'document-editor': React.DetailedHTMLProps<React.HTMLAttributes<DocumentEditor>, DocumentEditor> &
        DocumentEditorAttributes & OfVersion
    }
  }
}
