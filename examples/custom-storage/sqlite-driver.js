import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'

/** @import { StorageDriver } from 'fastify-onlyoffice/storage' */
/** @typedef {{ get (...values: any[]): any, all (...values: any[]): any[], run (...values: any[]): { changes: number | bigint } }} Statement */

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL; -- what a statement has written survives a power failure
  PRAGMA busy_timeout = 10000;
  CREATE TABLE IF NOT EXISTS records (file_id TEXT PRIMARY KEY, record TEXT, etag TEXT, modified_at INTEGER) STRICT;
  CREATE TABLE IF NOT EXISTS pieces (
    file_id TEXT, name TEXT, start INTEGER, bytes BLOB, PRIMARY KEY (file_id, name, start)
  ) STRICT, WITHOUT ROWID;`

/**
 * Keeps documents in a SQLite database, which several processes of one machine may share.
 * @param {string} path
 * @returns {StorageDriver}
 */
export function sqliteDriver (path) {
  const database = new DatabaseSync(path)
  database.exec(SCHEMA)
  /** @param {string} text */
  const sql = text => /** @type {Statement} */ (/** @type {unknown} */ (database.prepare(text)))
  const find = sql('SELECT record, etag, modified_at FROM records WHERE file_id = ?')
  const insert = sql('INSERT INTO records VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
  const update = sql('UPDATE records SET record = ?, etag = ?, modified_at = ? WHERE file_id = ? AND etag = ?')
  const remove = sql('DELETE FROM records WHERE file_id = ? AND etag = ?')
  const list = sql('SELECT file_id FROM records WHERE file_id > ? ORDER BY file_id LIMIT 500')
  const addPiece = sql('INSERT INTO pieces VALUES (?, ?, ?, ?)')
  const pieceAt = sql('SELECT start, bytes FROM pieces WHERE file_id = ? AND name = ? AND start <= ? ORDER BY start DESC')
  const dropPieces = sql('DELETE FROM pieces WHERE file_id = ? AND name = ?')

  return {
    async get (fileId) {
      const row = find.get(fileId)
      return row ? { record: JSON.parse(row.record), etag: row.etag, modifiedAt: new Date(row.modified_at) } : null
    },

    // Each of the three statements compares and changes in one step.
    async set (fileId, record, ifMatch) {
      const etag = randomUUID()
      const values = [JSON.stringify(record), etag, Date.now()]
      const { changes } = record === null
        ? remove.run(fileId, ifMatch)
        : ifMatch === null ? insert.run(fileId, ...values) : update.run(...values, fileId, ifMatch)
      return changes === 1 ? etag : null
    },

    async write (fileId, content) {
      const name = randomUUID()
      let size = 0
      try {
        for await (const chunk of content) {
          if (chunk.length > 0) addPiece.run(fileId, name, size, chunk)
          size += chunk.length
        }
      } catch (error) {
        dropPieces.run(fileId, name)
        throw error
      }
      if (size === 0) addPiece.run(fileId, name, 0, new Uint8Array())
      return { name, size }
    },

    async read (fileId, { name, size }, { start, end } = { start: 0, end: size - 1 }) {
      if (!pieceAt.get(fileId, name, start)) return null
      return Readable.from((function * () {
        for (let at = start; at <= end;) {
          const piece = pieceAt.get(fileId, name, at)
          if (!piece) throw new Error('The content was deleted while it was read')
          const bytes = piece.bytes.subarray(at - piece.start, end + 1 - piece.start)
          yield bytes
          at += bytes.length
        }
      })(), { objectMode: false })
    },

    async drop (fileId, name) {
      dropPieces.run(fileId, name)
    },

    async * list () {
      for (let rows = list.all(''); rows.length > 0; rows = list.all(rows.at(-1).file_id)) {
        for (const row of rows) yield row.file_id
      }
    },

    async close () {
      database.close()
    }
  }
}
