import t from 'tap'
import { createTime } from '../../lib/protocol/clock/time.js'
import { fakeClock } from '../../lib/index.js'
import { resultFiles } from '../../lib/protocol/result-files/files.js'

t.test('the newest 512 MiB of result files are kept, for one day', async t => {
  const clock = fakeClock()
  const files = resultFiles('secret', createTime(clock))
  const bytes = new Uint8Array(100 * 1024 * 1024)
  const put = (name: string, content = bytes) => files.put('data/K', name, content, 'bin')
  const found = (paths: readonly string[]) => paths.filter(path => typeof files.find(files.urlOf(path, '', 'K')) === 'object').length
  const paths = Array.from({ length: 8 }, (_, index) => put(`${index}.bin`))
  t.equal(found(paths), 5)
  t.equal(found(paths.slice(3)), 5)
  t.equal(found([put('7.bin'), put('7.bin'), put('7.bin')]), 3)
  t.equal(found(paths), 5, 'replaced text counts once')

  await clock.advance(86_400_001)
  put('small', new Uint8Array(1))
  t.equal(found(paths), 0)
})
