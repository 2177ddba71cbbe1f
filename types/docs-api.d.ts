import type { DocEditor } from '@onlyoffice/doceditor-types'

declare global {
  interface Window {
    /**
     * The editor's API, defined by the document server's `api.js`. Source:
     * emulator/docs/document-server-protocol.md#the-editor-in-the-page
     */
    DocsAPI: { DocEditor: typeof DocEditor }
  }
}
