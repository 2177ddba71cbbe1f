// Adds 1 to the record of document `a`, so many times, when told to:
// `incrementing.ts <directory> <times> [without-links]`.
import { once } from 'node:events'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { fileStorage } from '../../lib/index.js'

const [directory, times, links] = process.argv.slice(2) as [string, string, string?]
if (links === 'without-links') {
  fs.link = async () => { throw Object.assign(new Error('EPERM: no links here'), { code: 'EPERM' }) }
  syncBuiltinESMExports()
}

const { snapshot, state } = fileStorage({ directory })
process.send!('ready')
await once(process, 'message')
process.disconnect()
for (let done = 0; done < Number(times);) {
  const { record: found } = await snapshot('a')
  const count = (found?.value as { count: number } | undefined)?.count ?? 0
  if (await state.set('a', { count: count + 1, text: 'x'.repeat(5000) }, found?.version ?? null) !== null) done++
}
