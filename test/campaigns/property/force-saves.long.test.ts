/**
 * Random lives of documents that two instances edit: people open, edit, press the save button, leave and lose their
 * connection, the document server's timer saves, documents are assembled slowly or not at all, saves are refused, and
 * callbacks reach either instance. At random moments a force save is requested.
 *
 * `FORCE_SAVES` (default 200): how many, `SEED` (default 1): chooses them. A failure prints the `SEED` and `LIFE` that
 * repeat its life, as far as the timing of sockets allows.
 *
 *     SEED=$RANDOM node --import ./scripts/typescript/register.js test/campaigns/property/force-saves.long.test.ts
 */
import t from 'tap'
import { counted, playLives } from './force-saves.js'

const FORCE_SAVES = Number(process.env.FORCE_SAVES ?? 200)
const SEED = Number(process.env.SEED ?? 1)

t.setTimeout(180_000 + FORCE_SAVES * 500)

t.test('every force save ends, and if it is saved, everything that was edited before is stored', async t => {
  t.setTimeout(180_000 + FORCE_SAVES * 500)
  const ended = await playLives(t, { seed: SEED, forceSaves: FORCE_SAVES, worlds: 12, timeout: 20_000, slowest: 4500, pause: 700 })
  t.comment(counted(ended))
  for (const { life, doubt } of ended) if (doubt !== undefined) t.comment(`${life}: ${doubt}`)
  for (const { life, violation } of ended) if (violation !== undefined) t.fail(`${life}: ${violation}`)
  t.ok(ended.length > 0)
  t.ok(ended.some(({ how }) => how === 'saved'))
})
