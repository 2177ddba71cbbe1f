/** @import { Config, Opened } from '../protocol.js' */

/** @param {Opened} opened */
export function mayWrite (opened) {
  return opened.mayWrite
}

/** @param {Opened} opened */
export function mayComment ({ viewOnly }) {
  return !viewOnly
}

/** @param {Opened} opened */
export function isEditedWord ({ mayWrite, content, fileType }) {
  return mayWrite && content.kind === 'prose' && !content.plain && !isSlides(fileType)
}

/** @param {string} fileType */
export function isSlides (fileType) {
  return ['pptx', 'odp'].includes(fileType)
}

/** @param {Opened} opened */
export function isEditedGrid (opened) {
  return opened.mayWrite && isGrid(opened)
}

/** @param {Opened} opened */
export function isGrid ({ content }) {
  return content.kind === 'grid'
}

/** Whether the document is only viewed, but may be edited. @param {Opened} opened @param {Config} config */
export function mayBecomeEditor ({ viewOnly }, { document }) {
  return viewOnly && document?.permissions?.edit !== false
}
