import t from 'tap'
import { profiles } from '../helpers/editing.js'
import { recording, recordingNames } from '../../emulator/test/recordings/recording.js'
import { outcomes, refusedOutcomes } from './recorded-outcomes.js'
import { replay } from './replay.js'

t.test('every recorded scenario has an expected outcome', async t => {
  t.strictSame(Object.keys(outcomes).sort(), recordingNames().sort())
})

for (const profile of profiles) {
  for (const [name, expected] of Object.entries(outcomes)) {
    t.test(`recorded: ${name}: answers, stored file and key (${profile})`, async t => {
      t.strictSame(await replay(t, recording(name), { profile }), expected[profile])
    })
  }

  for (const [name, { unavailable, ...expected }] of Object.entries(refusedOutcomes)) {
    t.test(`recorded: ${name}, refused as in the recording: answers, stored file and key (${profile})`, async t => {
      t.strictSame(await replay(t, recording(name), { profile, unavailable }), expected[profile])
    })
  }
}
