import { closeButton, redoButton, saveButton, undoButton } from './frame.js'

/** Whether the host lacks something of what the document server has. */
let isUnsaved = false
let isDirty = false
let isSaving = false

/** What the save button can do changes with this. @param {{ unsaved?: boolean, dirty?: boolean, saving?: boolean }} changed */
export function showSavable ({ unsaved = isUnsaved, dirty = isDirty, saving = isSaving }) {
  [isUnsaved, isDirty, isSaving] = [unsaved, dirty, saving]
  saveButton.disabled = saving || !(unsaved || dirty)
}

/** @param {boolean} canUndo @param {boolean} canRedo */
export function showUndoable (canUndo, canRedo) {
  undoButton.disabled = !canUndo
  redoButton.disabled = !canRedo
}

/** Without the buttons for editing. @param {boolean} isFixed */
export function showFixed (isFixed) {
  for (const button of [saveButton, undoButton, redoButton]) button.hidden = isFixed
}

/** @param {{ visible?: boolean, text?: string }} [close] the configuration's `customization.close` */
export function showClose ({ visible, text } = {}) {
  closeButton.hidden = visible === false
  if (text) closeButton.textContent = text
}
