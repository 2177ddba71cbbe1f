import { StorageError, StorageTimeoutError } from '../../errors.js'
import { withTimeout } from '../../util/limits.js'

/** A query as `pg` takes it. */
export interface PostgresQuery {
  /** Several statements if there are no `values`. */
  readonly text: string
  readonly values?: unknown[]
  /** Milliseconds after which `pg` closes the connection. */
  readonly query_timeout: number
}

/** What the storage uses of a `Pool` of `pg`. */
export interface PostgresPool {
  query (query: PostgresQuery): Promise<{ readonly rows: readonly unknown[] }>
}

interface DatabaseOptions {
  readonly pool: PostgresPool
  readonly schema: string
  /** Milliseconds. */
  readonly queryTimeout: number
}

export type Database = ReturnType<typeof createDatabase>

/**
 * The queries to the database. Each is one statement with a deadline, in no transaction, so that it suits poolers and
 * holds a connection only while it runs. They reject with `StorageError` or `StorageTimeoutError`; a query that
 * rejected may still take effect.
 */
export function createDatabase ({ pool, schema, queryTimeout }: DatabaseOptions) {
  const quoted = `"${schema.replaceAll('"', '""')}"`

  async function query<Row> (operation: string, text: string, values?: unknown[]): Promise<readonly Row[]> {
    try {
      const { rows } = await withTimeout(
        async () => await pool.query({ text, ...(values && { values }), query_timeout: queryTimeout }),
        {
          milliseconds: queryTimeout, // including the wait for a connection
          timeoutError: milliseconds => new StorageTimeoutError(operation, milliseconds)
        }
      )
      return rows as readonly Row[]
    } catch (error) {
      throw databaseError(operation, error)
    }
  }

  return { query, schema: quoted, records: `${quoted}.onlyoffice_records`, blobs: `${quoted}.onlyoffice_blobs` }
}

/** The cause of a `StorageError` about a query. */
interface DatabaseCause extends Error {
  /** SQLSTATE, or the code of a connection error, such as `ECONNREFUSED`. */
  readonly code?: string
}

const MAX_MESSAGE_LENGTH = 200
/** Unlike `EPIPE`, each has a digit. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/
/**
 * The classes of SQLSTATE that say nothing about the query: connections, rollbacks, resources such as a full disk,
 * objects in use, operators, and the system; and a server that is read-only, as after a failover.
 */
const TRANSIENT = /^(08|40|53|55|57|58)|^25006$/

/**
 * Converts the error of a query into an error of this library. The errors of `pg` may have its settings and the values
 * of a row in them, so only message and code are kept.
 */
function databaseError (operation: string, error: unknown): Error {
  if (error instanceof StorageError || error instanceof StorageTimeoutError) return error
  const { code: givenCode, message } = error as { readonly code?: unknown, readonly message?: unknown }
  const code = typeof givenCode === 'string' && /^\w{1,64}$/.test(givenCode) ? givenCode : undefined
  const text = typeof message === 'string' ? message.slice(0, MAX_MESSAGE_LENGTH) : ''
  const cause: DatabaseCause = Object.assign(new Error(text), code !== undefined && { code })
  const isAnswer = code !== undefined && SQLSTATE.test(code)
  return new StorageError(`${operation} failed: ${code ?? text}`, {
    cause,
    retryable: !isAnswer || TRANSIENT.test(code)
  })
}

/** The SQLSTATE or code of the answer that caused an error. */
export function codeOf (error: unknown): string | undefined {
  return ((error as Error | undefined)?.cause as DatabaseCause | undefined)?.code
}
