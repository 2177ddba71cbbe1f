export { createDocumentServer } from './document-server/create.js'
export type { DocumentServerError } from './document-server/errors.js'
export type {
  CallbackResult,
  DocumentServer,
  DocumentServerMembers,
  DocumentServerOptions,
  EditorConfig,
  HostRequest,
  Session
} from './document-server/types.js'
export { httpClientConformance } from './http-client-conformance.js'
export type { HttpClientConformanceOptions } from './http-client-conformance.js'
export { storageConformance } from './storage-conformance.js'
export type { ConformanceSubject, StorageConformanceOptions } from './storage-conformance.js'
