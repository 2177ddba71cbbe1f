/**
 * Random lives of a document: people open, edit and save it, the document server crashes, callbacks are lost or
 * reordered, others change the file, storage accesses fail, instances die or stand still. After each command all
 * invariants are checked.
 *
 * `RUNS` (default 50): lives over all checks. `SEED` (default 1): chooses them. A failure prints the
 * `SEED` and `REPLAY` that repeat its shortest life.
 *
 *     RUNS=5000 SEED=$RANDOM node --import ./scripts/typescript/register.js test/campaigns/property/saves.test.ts
 */
import t from 'tap'
import { checkSaves, TIMEOUT_MS } from './saves/check.js'

t.setTimeout(TIMEOUT_MS)

t.test('all who open the document get one key, no change is overwritten, no acknowledged edit is lost: secure profile', async t => {
  await checkSaves(t, { name: 'secure', profile: 'secure', stored: 'memory', share: 40 })
})

t.test('all who open the document get one key, no late save is stored: classic profile', async t => {
  await checkSaves(t, { name: 'classic', profile: 'classic', stored: 'memory', share: 10 })
})

t.test('during a move to another document server, sessions of both servers do not overwrite each other', async t => {
  await checkSaves(t, { name: 'moving', profile: 'secure', stored: 'memory', moving: true, share: 12 })
})

t.test('all who open the document get one key, no change is overwritten, no acknowledged edit is lost: one write per save', async t => {
  await checkSaves(t, { name: 'one-write', profile: 'secure', stored: 'one write', share: 16 })
})

t.test('during a move to another document server, sessions of both servers do not overwrite each other: one write per save', async t => {
  await checkSaves(t, { name: 'moving-one-write', profile: 'secure', stored: 'one write', moving: true, share: 6 })
})

t.test('all who open the document get one key, no change is overwritten, no acknowledged edit is lost: files on disk', async t => {
  await checkSaves(t, { name: 'files', profile: 'secure', stored: 'files', share: 12 })
})

t.test('during a move to another document server, sessions of both servers do not overwrite each other: files on disk', async t => {
  await checkSaves(t, { name: 'moving-files', profile: 'secure', stored: 'files', moving: true, share: 4 })
})
