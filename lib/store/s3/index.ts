export { s3Storage } from './s3-storage.js'
export type { S3Storage, S3StorageOptions, SweepResult } from './s3-storage.js'
