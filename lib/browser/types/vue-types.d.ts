// <document-editor> in the templates of Vue 3.
import type { HTMLAttributes, ReservedProps } from 'vue'
import type { DocumentEditor, DocumentEditorAttributes, EditorEvents } from './document-editor.js'

export type * from './document-editor.js'

/** What Vue makes of `@documentready`. */
type EventProps = {
  [Name in keyof EditorEvents as `on${Capitalize<Name>}`]?: ((event: EditorEvents[Name]) => void) | undefined
}

declare module 'vue' {
  interface GlobalComponents {
    'document-editor': new () => DocumentEditor & { $props: HTMLAttributes & ReservedProps & DocumentEditorAttributes & EventProps }
  }
}
