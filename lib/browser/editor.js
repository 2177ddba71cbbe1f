// The module of an editor page: mounts the editor in every fragment that `control.render()` created.
import { mountOrTell } from './mounting.js'

export * from './index.js'

for (const fragment of document.querySelectorAll('[data-onlyoffice-editor]')) {
  if (!fragment.closest('document-editor')) mountOrTell(fragment) // that element mounts it itself
}
