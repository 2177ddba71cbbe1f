import pg from 'pg'
import type { EditorStorage } from 'fastify-onlyoffice'
import { postgresStorage } from 'fastify-onlyoffice/postgres'

export const tables: EditorStorage = postgresStorage({ pool: new pg.Pool() })
export const sweep = async (): Promise<number> => (await postgresStorage({ pool: new pg.Pool(), schema: 'office' }).sweep()).blobs
// @ts-expect-error a pool is missing
postgresStorage({ schema: 'office' })
// @ts-expect-error a pool is no URL
postgresStorage({ pool: 'postgres://localhost' })
