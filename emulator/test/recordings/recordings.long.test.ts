import t from 'tap'
import { differences } from './compare.js'
import { type Log, recordedLog } from './log.js'
import { play } from './player.js'
import { recording, recordingNames } from './recording.js'

for (const name of recordingNames()) {
  const recorded = recording(name)
  t.test(`as recorded: ${name}. ${recorded.description}`, async t => {
    t.strictSame(differences(recordedLog(recorded), await play(t, recorded)), [])
  })
}

// A recording against itself, with the nearest things to what may differ. What may differ does in every recording.

const original = recordedLog(recording('save-retried-500-500-200'))
const played = (change: (text: string) => string): Log => JSON.parse(change(JSON.stringify(original))) as Log
const folder = /g43hd-12_7647/g

const forbidden: ReadonlyArray<readonly [what: string, change: (text: string) => string]> = [
  ['a short signature', text => text.replaceAll(/md5=[\w-]{22}/g, 'md5=A')],
  ['a signature of its own in one of the tokens', text => text.replace(/md5=[\w-]{22}/, 'md5=AAAAAAAAAAAAAAAAAAAAAA')],
  ['a folder of its own for a repeated save', text => text.replace(/g43hd-12_7647(?!.*g43hd-12_7647)/, 'g43hd-12_7648')],
  ['a folder without a number', text => text.replaceAll(folder, 'g43hd-12')],
  ['a folder with a long number', text => text.replaceAll(folder, 'g43hd-12_76470')],
  ['the port of the host in an address of the document server', text => text.replaceAll(':8000', ':18090')],
  ['two seconds, when an address expires', text => text.replaceAll(/(?<=expires=)\d+/g, seconds => String(Number(seconds) + 2))],
  ['two seconds, when it was saved', text => text.replaceAll('16:12:48', '16:12:50')],
  ['milliseconds, when it was saved', text => text.replaceAll('16:12:48.000Z', '16:12:48.001Z')],
  ['a short hash', text => text.replaceAll(/"[0-9a-f]{64}"/g, '"0"')],
  ['a token that is valid for longer', text => text.replaceAll(/(?<="exp":)\d+/g, seconds => String(Number(seconds) + 1))]
]

for (const [what, change] of forbidden) {
  t.test(`may not differ: ${what}`, async t => {
    t.not(differences(original, played(change)).length, 0)
  })
}
