import type { ObjectNames } from './names.js'
import type { ObjectStore } from './object-store.js'

/** Shared by the parts of one `s3Storage`. */
export interface S3Services {
  readonly store: ObjectStore
  readonly names: ObjectNames
  /** Milliseconds for one request. */
  readonly requestTimeout: number
  /** Resolves when the storage may use the prefix. */
  readonly ready: () => Promise<void>
  /** Deletes objects of a document in the background. The sweep deletes what this fails to delete. */
  readonly deleteLater: (fileId: string | undefined, objects: readonly string[]) => void
}
