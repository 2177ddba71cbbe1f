import t from 'tap'
import { differences } from './compare.js'
import { type Log, recordedLog } from './log.js'
import { recording } from './recording.js'

// A recording against itself, with what may differ made to differ, and with the nearest things that may not.

const recorded = recordedLog(recording('save-retried-500-500-200'))
const played = (change: (text: string) => string): Log => JSON.parse(change(JSON.stringify(recorded))) as Log
const folder = /g43hd-12_7647/g

const allowed: ReadonlyArray<readonly [what: string, change: (text: string) => string]> = [
  ['signatures of addresses', text => text.replaceAll(/md5=[\w-]{22}/g, 'md5=AAAAAAAAAAAAAAAAAAAAAA')],
  ['the number of a folder', text => text.replaceAll(folder, 'g43hd-12_12')],
  ['ports, each its own', text => text.replaceAll(':18090', ':40001').replaceAll(':8000', ':40002')],
  ['a second, when an address expires', text => text.replaceAll(/(?<=expires=)\d+/g, seconds => String(Number(seconds) + 1))],
  ['a second, when it was saved', text => text.replaceAll('16:12:48', '16:12:49')],
  ['the hash of the document', text => text.replaceAll(/"[0-9a-f]{64}"/g, `"${'0'.repeat(64)}"`)],
  ['the version', text => text.replaceAll('"4.1.2"', '"9.3.0"')],
  ['upper case of a connection', text => text.replaceAll('"Keep-Alive"', '"keep-alive"')]
]

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

for (const [what, change] of allowed) {
  t.test(`may differ: ${what}`, async t => {
    const log = played(change)
    t.not(JSON.stringify(log), JSON.stringify(recorded))
    t.strictSame(differences(recorded, log), [])
  })
}

for (const [what, change] of forbidden) {
  t.test(`may not differ: ${what}`, async t => {
    t.not(differences(recorded, played(change)).length, 0)
  })
}
