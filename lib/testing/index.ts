export { httpClientConformance } from './http-client-conformance.js'
export type { HttpClientConformanceOptions } from './http-client-conformance.js'
export { storageConformance } from './storage-conformance.js'
export type { ConformanceSubject, StorageConformanceOptions } from './storage-conformance.js'
