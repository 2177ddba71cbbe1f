export type {
  ConformanceOptions, HttpClientConformanceOptions, HttpClientSubject, StorageConformanceOptions
} from './suites.js'
export { httpClientConformance, storageConformance } from './suites.js'
export type { StorageSubject } from './storage-scene.js'
