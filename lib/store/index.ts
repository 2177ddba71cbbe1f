// The entry point `fastify-onlyoffice/storage`, for a storage of one's own.
export { documentStorage } from './document-storage.js'
export type * from '../../types/storage-driver.js'
export type { ByteRange } from '../../types/storage.js'
