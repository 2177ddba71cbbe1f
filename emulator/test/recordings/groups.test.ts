import t from 'tap'
import { groups } from './groups.js'
import { recordingNames } from './recording.js'

t.test('every recording is played by exactly one test', async t => {
  t.strictSame(Object.values(groups).flat().toSorted(), recordingNames().toSorted())
  t.equal(recordingNames().length, 90)
})
