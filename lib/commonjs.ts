import { blankDocument, blankFormats } from './blank/blank-document.js'
import { checkDocument } from './document-server/upload-check.js'
import { editor } from './editor.js'
import * as errors from './errors.js'
import { fragmentType } from './fragment-type.js'
import { guardedDispatcher } from './http-client/guarded-dispatcher.js'
import { undiciClient } from './http-client/undici-client.js'
import { fileStorage } from './storage/file-storage.js'
import { memoryStorage } from './storage/memory-storage.js'

const named = {
  blankDocument,
  blankFormats,
  checkDocument,
  fileStorage,
  fragmentType,
  guardedDispatcher,
  memoryStorage,
  undiciClient,
  ...errors
}

/** What `require()` returns: the plugin, with the named exports as its properties. */
export const commonjs: typeof editor & typeof named = Object.assign(editor, named)
