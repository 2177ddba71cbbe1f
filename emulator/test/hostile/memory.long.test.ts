import t from 'tap'
import { createTime } from '../../lib/protocol/clock/time.js'
import { fakeClock } from '../../lib/index.js'
import { resultFiles } from '../../lib/protocol/result-files/files.js'

t.test('result files are kept for one day', async t => {
  const clock = fakeClock()
  const files = resultFiles('secret', createTime(clock))
  const put = (name: string) => files.put('data/K', name, new Uint8Array(1), 'bin')
  const isFound = (path: string) => typeof files.find(files.urlOf(path, '', 'K')) === 'object'
  const [first, again] = [put('first.bin'), put('again.bin')]
  await clock.advance(43_200_000)
  put('again.bin')
  await clock.advance(43_200_001)
  const path = put('small')
  t.strictSame([first, again, path].map(isFound), [false, true, true])
})
