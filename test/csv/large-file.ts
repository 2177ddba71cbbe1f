import { createHash } from 'node:crypto'
import { dialectOf, rewritten } from '../../lib/csv/dialect.js'
import { before, parts, sent } from './large.js'

// Rewrites a file of 50 MB and prints what it has become. The test gives it less memory than the file needs.

const stream = async function * () { yield * parts(sent) }
const dialect = dialectOf(Buffer.from(before(0)), 'windows-1252', undefined)!
const hash = createHash('sha256')
for await (const chunk of rewritten(stream(), dialect, [','])) hash.update(chunk)
console.log(hash.digest('hex'))
