import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { isUint8Array } from 'node:util/types'
import type { StorageContent } from '../../../types/storage.js'
import { StorageError } from '../../errors.js'
import { assertBytes } from '../../util/streams.js'
import { parseJson } from '../../util/text.js'
import type { Driver } from '../contract.js'
import { sliceOf } from '../call-options.js'
import type { Database } from './database.js'

/** Every piece of a blob but the last has this size: those in the database do. */
const PIECE_BYTES = 1024 * 1024
const LISTED_AT_ONCE = 1000

/** Casts to text, because an application may have changed how `pg` parses other types. */
export const millisecondsOf = (time: string) => `(extract(epoch FROM ${time}) * 1000)::text`

interface RecordRow {
  readonly record: string
  readonly etag: string
  readonly time: string
}

export function postgresDriver ({ query, records, blobs }: Database, ready: () => Promise<void>): Driver {
  async function drop (fileId: string, name: string): Promise<void> {
    await query('drop', `DELETE FROM ${blobs} WHERE file_id = $1 AND blob = $2`, [fileId, name])
  }

  return {
    ready,

    async get (fileId) {
      const [row] = await query<RecordRow>(
        'get',
        `SELECT record, etag::text AS etag, ${millisecondsOf('modified_at')} AS time FROM ${records} WHERE file_id = $1`,
        [fileId]
      )
      return row ? { record: parseJson(row.record), etag: row.etag, modifiedAt: new Date(Number(row.time)) } : null
    },

    async set (fileId, record, ifMatch) {
      const etag = randomUUID()
      const text = record && JSON.stringify(record)
      const rows = text === null
        ? await query('set', `DELETE FROM ${records} WHERE file_id = $1 AND etag = $2 RETURNING 1`, [fileId, ifMatch])
        : ifMatch === null
          ? await query(
            'set',
            `INSERT INTO ${records} (file_id, record, etag, modified_at) VALUES ($1, $2, $3, clock_timestamp())
               ON CONFLICT (file_id) DO NOTHING RETURNING 1`,
            [fileId, text, etag]
          )
          : await query(
            'set',
            `UPDATE ${records} SET record = $2, etag = $3, modified_at = clock_timestamp()
               WHERE file_id = $1 AND etag = $4 RETURNING 1`,
            [fileId, text, etag, ifMatch]
          )
      return rows.length > 0 ? etag : null
    },

    async write (fileId, content) {
      const name = randomUUID()
      let size = 0
      let count = 0
      try {
        for await (const piece of piecesOf(content)) {
          await query(
            'write',
            `INSERT INTO ${blobs} (file_id, blob, piece, written_at, bytes) VALUES ($1, $2, $3, clock_timestamp(), $4)`,
            [fileId, name, count++, piece]
          )
          size += piece.length
        }
      } catch (error) {
        if (count > 0) await drop(fileId, name).catch(() => {}) // a sweep deletes it
        throw error
      }
      return { name, size }
    },

    async read (fileId, { name, size }, range) {
      const { start, length } = sliceOf(size, range)
      const end = start + length
      /** The bytes from a position to the end of its piece, or of the range. */
      async function piece (position: number): Promise<Buffer | null> {
        const offset = position % PIECE_BYTES
        const wanted = Math.min(PIECE_BYTES - offset, end - position)
        const [row] = await query<{ readonly bytes: Uint8Array }>(
          'read',
          `SELECT substr(bytes, $4, $5) AS bytes FROM ${blobs} WHERE file_id = $1 AND blob = $2 AND piece = $3`,
          [fileId, name, Math.floor(position / PIECE_BYTES), offset + 1, wanted]
        )
        if (!row) return null
        if (row.bytes.length === wanted) return Buffer.from(row.bytes.buffer, row.bytes.byteOffset, wanted)
        throw new StorageError('a piece of a content has the wrong size', { retryable: false })
      }
      async function * rest (first: Buffer): AsyncGenerator<Buffer> {
        yield first
        for (let position = start + first.length; position < end;) {
          const bytes = await piece(position)
          if (!bytes) throw new StorageError('a piece of a content is no longer there', { retryable: false })
          yield bytes
          position += bytes.length
        }
      }
      const first = await piece(start)
      return first && Readable.from(rest(first), { objectMode: false })
    },

    drop,

    async * list () {
      let after = '' // precedes all fileIds
      for (;;) {
        const rows = await query<{ readonly id: string }>(
          'list',
          `SELECT file_id AS id FROM ${records} WHERE file_id > $1 ORDER BY file_id LIMIT ${LISTED_AT_ONCE}`,
          [after]
        )
        for (const { id } of rows) yield id
        if (rows.length < LISTED_AT_ONCE) return
        after = rows.at(-1)!.id
      }
    }
  }
}

/** Content in pieces, at least one. Copies the bytes, because their owner may use the chunks again. */
async function * piecesOf (content: StorageContent): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let size = 0
  let isEmpty = true
  for await (const chunk of isUint8Array(content) ? [content] : content) {
    assertBytes(chunk)
    for (let start = 0; start < chunk.length;) {
      const part = Buffer.from(chunk.subarray(start, start + PIECE_BYTES - size))
      parts.push(part)
      size += part.length
      start += part.length
      if (size < PIECE_BYTES) continue
      yield parts.length === 1 ? part : Buffer.concat(parts)
      isEmpty = false
      parts = []
      size = 0
    }
  }
  if (size > 0 || isEmpty) yield Buffer.concat(parts)
}
