import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { plainEnvironment, root, run } from '../kit/programs.js'

t.setTimeout(900_000)
const directory = join(root, 'examples/testing')
const emulator = join(root, 'emulator/dist/lib/cli/main.js')

for (const [folder, count] of [['fastify', 3], ['express', 1]] as const) {
  t.test(`the example tests for applications pass: ${folder}`, async t => {
    const files = (await readdir(join(directory, folder))).filter(name => /\.test\.c?js$/.test(name))
    t.equal(files.length, count)
    for (const file of files) {
      const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', join(directory, folder, file)], { cwd: root, env: plainEnvironment })
      t.match(stdout, /^# fail 0$/m, file)
      t.ok(Number(/^# pass (\d+)$/m.exec(stdout)?.[1]) >= 2, `${file}: every test ran`)
    }
  })
}

const python = await run('python3', ['--version']).then(() => true, () => false)

t.test('the example tests for applications pass: Python', { skip: !python && 'python3 is not installed' }, async t => {
  const { stderr } = await run('python3', ['-B', '-m', 'unittest'], {
    cwd: join(directory, 'python'),
    env: { ...plainEnvironment, ONLYOFFICE_EMULATOR: `"${process.execPath}" "${emulator}"` }
  })
  t.match(stderr, /^Ran 5 tests in .*\n\nOK$/m)
})
