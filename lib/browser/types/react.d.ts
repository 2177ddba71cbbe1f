// The types of document-editor.js for pages made by React 18 or 19.
import type * as React from 'react'
import type { DocumentEditor, DocumentEditorAttributes, EditorEvents } from './document-editor.js'

export * from './document-editor.js'

/**
 * From React 19 on, events have `on` before their names. React 18 has no events of custom elements, and sets their
 * properties as attributes, as they are called in HTML.
 */
type OfVersion = typeof React extends { useActionState: unknown }
  ? { [Name in keyof EditorEvents as `on${Name}`]?: (event: EditorEvents[Name]) => void }
  : { class?: string }

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'document-editor': React.DetailedHTMLProps<React.HTMLAttributes<DocumentEditor>, DocumentEditor> &
        DocumentEditorAttributes & OfVersion
    }
  }
}
