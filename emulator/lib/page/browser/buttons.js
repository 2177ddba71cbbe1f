import { saveButton } from './frame.js'

/** Whether the document server has changes that the application has not accepted. */
let isUnsaved = false
let isDirty = false
let isSaving = false

/**
 * Enables the save button while there is something to save.
 * @param {{ unsaved?: boolean, dirty?: boolean, saving?: boolean }} changed
 */
export function showSavable ({ unsaved = isUnsaved, dirty = isDirty, saving = isSaving }) {
  [isUnsaved, isDirty, isSaving] = [unsaved, dirty, saving]
  saveButton.disabled = saving || !(unsaved || dirty)
}

/** Hides the button for saving. @param {boolean} isFixed */
export function showFixed (isFixed) {
  saveButton.hidden = isFixed
}
