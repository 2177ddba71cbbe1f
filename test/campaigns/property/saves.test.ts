/**
 * Random lives of a document: people open, edit and save it, the document server crashes, callbacks are lost or
 * reordered, others change the file, storage accesses fail, instances die or stand still. After each command all
 * invariants are checked.
 *
 * `RUNS` (default 12): lives over all checks. `SEED` (default 1): chooses them. A failure prints the
 * `SEED` and `REPLAY` that repeat its shortest life.
 *
 *     RUNS=5000 SEED=$RANDOM node --import ./scripts/typescript/register.js test/campaigns/property/saves.test.ts
 */
import t from 'tap'
import { checkSaves, TIMEOUT_MS } from './saves/check.js'
import { countOthers, ruleCounts } from './saves/rules.js'

t.setTimeout(TIMEOUT_MS)
countOthers()
t.teardown(() => t.comment(`rules: ${ruleCounts()}`))

t.test('all who open the document get one key, no change is overwritten, no acknowledged edit is lost', async t => {
  await checkSaves(t, { name: 'memory', stored: 'memory', share: 56 })
})

t.test('during a move to another document server, sessions of both servers do not overwrite each other', async t => {
  await checkSaves(t, { name: 'moving', stored: 'memory', moving: true, share: 18 })
})

t.test('all who open the document get one key, no change is overwritten, no acknowledged edit is lost: files on disk', async t => {
  await checkSaves(t, { name: 'files', stored: 'files', share: 20 })
})

t.test('during a move to another document server, sessions of both servers do not overwrite each other: files on disk', async t => {
  await checkSaves(t, { name: 'moving-files', stored: 'files', moving: true, share: 6 })
})
