import t from 'tap'
import { differences } from './compare.js'
import { recordedLog } from './log.js'
import { play } from './player.js'
import { recording } from './recording.js'

/** Plays recordings, one after the other, and holds the emulator to them. */
export function asRecorded (names: readonly string[]): void {
  for (const name of names) {
    const recorded = recording(name)
    t.test(`as recorded: ${name}. ${recorded.description}`, async t => {
      t.strictSame(differences(recordedLog(recorded), await play(t, recorded)), [])
    })
  }
}
