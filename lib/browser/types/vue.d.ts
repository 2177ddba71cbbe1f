// The types of document-editor.js for pages made by Vue.
import type { HTMLAttributes, ReservedProps } from 'vue'
import type { DocumentEditor, DocumentEditorAttributes, EditorEvents } from './document-editor.js'

export * from './document-editor.js'

/** What Vue makes of `@onDocumentReady`. */
type EventProps = { [Name in keyof EditorEvents as `on${Capitalize<Name>}`]?: (event: EditorEvents[Name]) => void }

declare module 'vue' {
  interface GlobalComponents {
    'document-editor': new () => DocumentEditor & { $props: HTMLAttributes & ReservedProps & DocumentEditorAttributes & EventProps }
  }
}
