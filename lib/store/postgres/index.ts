export { postgresStorage } from './postgres-storage.js'
export type { PostgresStorage, PostgresStorageOptions, SweepResult } from './postgres-storage.js'
export type { PostgresPool, PostgresQuery } from './database.js'
