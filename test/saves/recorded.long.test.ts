import fc from 'fast-check'
import t from 'tap'
import { profiles } from '../kit/editing.js'
import { isOnS3 } from '../kit/storage.js'
import { recording, recordingNames } from '../../emulator/test/recordings/recording.js'
import { outcomes, refusedOutcomes } from './recorded-outcomes.js'
import { type Additions, replay } from './replay.js'

t.setTimeout(300_000)

t.test('every recorded scenario has an expected outcome', async t => {
  t.strictSame(Object.keys(outcomes).sort(), recordingNames().sort())
})

/** What a later document server may add to each message. `SEED` chooses others. */
const name = fc.oneof(
  fc.constantFrom('operation', 'purpose', 'aud', 'iss', 'jti', 'data', 'toString'),
  fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'abcXYZ_-019') }).map(text => `x${text}`)
)
const value = fc.oneof(
  fc.constantFrom('callback', 'download', 'save-2027', ''),
  fc.jsonValue({ maxDepth: 2 }).filter(value =>
    !['converter', 'command', 'docbuilder', 'browser'].includes(value as string)
  )
)
const some = fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 })
const additions: fc.Arbitrary<Additions> = fc.record({
  bodyClaims: some,
  besidePayload: some,
  inPayload: some,
  fields: some,
  headers: fc.dictionary(
    fc.constantFrom('x-docs-purpose', 'x-request-id', 'accept-language'),
    fc.constantFrom('1', 'callback', 'de')
  )
})
const seed = Number(process.env.SEED ?? 1)

for (const profile of profiles) {
  for (const [recorded, expected] of Object.entries(outcomes)) {
    t.test(`recorded: ${recorded}: answers, stored file and key (${profile})`, async t => {
      t.strictSame(await replay(t, recording(recorded), { profile }), expected[profile])
    })

    if (isOnS3) continue // a storage knows nothing of claims
    t.test(`recorded: ${recorded}, with unknown claims, fields and headers in every message (${profile})`, async t => {
      const added = fc.sample(additions, { seed, numRuns: 50 })
      t.strictSame(await replay(t, recording(recorded), { profile, added }), expected[profile], `SEED=${seed}`)
    })
  }

  for (const [name, { unavailable, ...expected }] of Object.entries(refusedOutcomes)) {
    t.test(`recorded: ${name}, refused as in the recording: answers, stored file and key (${profile})`, async t => {
      t.strictSame(await replay(t, recording(name), { profile, unavailable }), expected[profile])
    })
  }
}
