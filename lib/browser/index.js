// The page's module, for import in a bundle. It mounts nothing by itself.
export { captureDocument } from './capture.js'
export { CaptureError, UnsentChangesError } from './errors.js'
export { mountEditor, unmountEditor } from './mounting.js'
