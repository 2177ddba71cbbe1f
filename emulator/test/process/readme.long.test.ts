import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { plainEnvironment, root, run } from '../../../test/kit/programs.js'
import { scenarios } from '../../lib/check/all-scenarios.js'
import { CHECK_HELP } from '../../lib/cli/check-options.js'
import { HELP } from '../../lib/cli/options.js'

const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')

t.test('the README\'s first test passes as printed, in 30 lines', async t => {
  const [, code] = /```js\n(import assert[^]*?)```/.exec(readme)!
  t.ok(code!.trimEnd().split('\n').length <= 31)
  const directory = join(root, '.tap', `readme-${process.pid}`) // below the root, for its packages
  await mkdir(directory, { recursive: true })
  t.teardown(() => rm(directory, { recursive: true }))
  await writeFile(join(directory, 'first.test.js'), code!)
  await writeFile(join(directory, 'package.json'), '{"type":"module"}')
  const { stdout } = await run(process.execPath, [
    '--import',
    './scripts/typescript/register.js',
    '--test',
    '--test-reporter=tap',
    join(directory, 'first.test.js')
  ], { cwd: root, env: plainEnvironment })
  t.match(stdout, /^# pass 1$/m)
  t.match(stdout, /^# fail 0$/m)
})

t.test('the README lists every command line option', t => {
  const options = [...`${HELP}${CHECK_HELP}`.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, name]) => name!)
  t.ok(options.length > 10)
  for (const option of options) t.match(readme, new RegExp(`\`[^\`]*${option}\\b`), option)
  for (const [, option] of readme.matchAll(/^\| `(--[\w-]+)[^`]*`/gm)) t.ok(options.includes(option!), option!)
  t.end()
})

t.test('the README says how many scenarios there are', t => {
  for (const [, count] of readme.matchAll(/(?:the|to) (\d+)(?: scenarios|\s+exist)/g)) t.equal(Number(count), scenarios.length)
  t.end()
})
