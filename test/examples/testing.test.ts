import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { plainEnvironment, root, run } from '../helpers/packed.js'

const directory = join(root, 'examples/testing')

t.test('the examples of tests with the emulated document server pass as they stand', async t => {
  const files = (await readdir(directory)).filter(name => /\.test\.c?js$/.test(name))
  t.equal(files.length, 3)
  for (const file of files) {
    const { stdout } = await run(process.execPath, ['--test', join(directory, file)], { cwd: root, env: plainEnvironment })
    t.match(stdout, /^# fail 0$/m, file)
    t.ok(Number(/^# pass (\d+)$/m.exec(stdout)?.[1]) >= 2, `${file}: every test ran`)
  }
})
