export { s3Storage } from './s3-storage.js'
export type { S3Storage, S3StorageOptions } from './s3-storage.js'
export type { SweepOptions, SweepResult } from './sweep-options.js'
