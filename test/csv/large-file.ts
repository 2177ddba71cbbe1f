import { createHash } from 'node:crypto'
import { dialectOf } from '../../lib/csv/rows.js'
import { restored } from '../../lib/csv/restore.js'
import { before, parts, sent } from './large.js'

// Restores a file of 50 MB and prints what it has become. The test gives it less memory than the file needs.

const stream = async function * (row: (index: number) => string) { yield * parts(row) }
const dialect = dialectOf(Buffer.from(before(0)), { legacyEncoding: 'windows-1252' })!
const hash = createHash('sha256')
for await (
  const chunk of restored({
    saved: stream(sent),
    stored: () => stream(before),
    dialect,
    onUnmatched: () => {
      throw new Error('unmatched')
    }
  })
) hash.update(chunk)
console.log(hash.digest('hex'))
