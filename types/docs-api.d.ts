import type { DocEditor } from '@onlyoffice/doceditor-types'

declare global {
  interface Window {
    /** Defined by the document server's api.js. */
    DocsAPI: { DocEditor: typeof DocEditor }
  }
}
