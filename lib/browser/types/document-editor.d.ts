// The types of document-editor.js, with what JavaScript cannot say: the element's tag and its events.
import type { EventsNormal } from '@onlyoffice/doceditor-types'
import type { SaveState } from '../changes.js'
import type { DocumentEditor } from '../document-editor.js'

export type { SaveState }
export { DocumentEditor } from '../document-editor.js'

/** As `domName` makes it. */
type DomName<Name> = Name extends `on${infer Type}`
  ? Type extends 'Error' | 'Submit' ? `editor${Lowercase<Type>}` : Lowercase<Type>
  : never

/** The editor's events, as they are dispatched on the element: `detail` has the data of the editor's event. */
export type EditorEvents = {
  [Name in keyof EventsNormal as DomName<Name>]-?: CustomEvent<
    Parameters<NonNullable<EventsNormal[Name]>> extends [{ data?: infer Data }] ? Exclude<Data, undefined> : null
  >
} & { savestatechange: CustomEvent<SaveState> }

/** The events of the element, by their names. */
export interface DocumentEditorEventMap extends HTMLElementEventMap, EditorEvents {}

/** The attributes of the element. */
export interface DocumentEditorAttributes {
  /** URL that the editor is fetched from, of the page's origin. */
  src?: string | undefined
  /** Names of the editor's events that change what the editor shows, such as `onRequestClose`, separated by spaces. */
  events?: string | undefined
}

declare module '../document-editor.js' {
  interface DocumentEditor {
    addEventListener<Type extends keyof DocumentEditorEventMap> (
      type: Type,
      listener: (this: DocumentEditor, event: DocumentEditorEventMap[Type]) => unknown,
      options?: boolean | AddEventListenerOptions
    ): void
    addEventListener (
      type: string,
      listener: EventListenerOrEventListenerObject,
      options?: boolean | AddEventListenerOptions
    ): void
    removeEventListener<Type extends keyof DocumentEditorEventMap> (
      type: Type,
      listener: (this: DocumentEditor, event: DocumentEditorEventMap[Type]) => unknown,
      options?: boolean | EventListenerOptions
    ): void
    removeEventListener (
      type: string,
      listener: EventListenerOrEventListenerObject,
      options?: boolean | EventListenerOptions
    ): void
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'document-editor': DocumentEditor
  }
}
