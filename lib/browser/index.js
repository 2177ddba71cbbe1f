// The page's module, for import in a bundle. It mounts nothing by itself.
/** @typedef {'not-mounted' | 'closed' | 'timeout' | 'denied' | 'format' | 'failed' | 'expired' | 'unreachable'} CaptureErrorCode */

export { captureDocument } from './mounting.js'
export { CaptureError, UnsentChangesError } from './errors.js'
export { mountEditor, unmountEditor } from './mounting.js'
