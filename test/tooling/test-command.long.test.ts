import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { plainEnvironment, root, run } from '../kit/programs.js'

// scripts/test.js in small projects: what it runs, and what makes it fail.

const half = "export function half (n: number): number {\n  if (n % 2 === 1) {\n    throw new RangeError('odd')\n  }\n  return n / 2\n}\n"
const importHalf = "import t from 'tap'\nimport { half } from '../lib/half.js'\n\n"
const testedEven = `${importHalf}t.equal(half(4), 2)\n`
const testedOdd = `${importHalf}t.throws(() => half(3))\n`
const tested = `${testedEven}t.throws(() => half(3))\n`

interface Expected {
  readonly files: Record<string, string>
  readonly environment?: Record<string, string>
  /** Arguments of runs in the same project before, which pass. */
  readonly before?: ReadonlyArray<readonly string[]>
  readonly args?: readonly string[]
  readonly code: number
  readonly lines: readonly RegExp[]
  readonly absent?: RegExp
  /** What .tap/counts.txt says in the end. */
  readonly counts?: string
}

const typescript = pathToFileURL(join(root, 'scripts/typescript/register.js'))
const taprc = `include: ['test/**/*.test.ts']
plugin: ['!@tapjs/typescript']
node-arg: ['--import=${typescript}']
allow-incomplete-coverage: true
coverage-report: [json-summary]
`
const skipping = `${tested}t.test('of a moon', { skip: 'needs a moon' }, async () => {})\n`

const cases: Record<string, Expected> = {
  'tests that pass: what was skipped is listed, coverage is not measured, and files that share a process have teardown and jobs of their own': {
    files: {
      'test/half.test.ts': `${testedEven}t.test('of a moon', { skip: 'needs a moon' }, async () => {})\n`,
      'test/a.test.ts': "import t from 'tap'\n\nt.jobs = 7\nt.teardown(() => { globalThis.closed = true })\nt.pass()\n",
      'test/b.test.ts': "import t from 'tap'\n\nt.ok(globalThis.closed)\nt.not(t.jobs, 7)\n"
    },
    code: 0,
    lines: [/^Not run:$/, /^ {2}test\/half\.test\.ts > of a moon: needs a moon$/, /^# Subtest: \.tap\/groups\/001\.js$/, /^4 passed, 0 failed$/],
    absent: /Not good enough|coverage:/
  },
  'a skipped test fails with CI=true': {
    files: { 'test/half.test.ts': skipping },
    environment: { CI: 'true' },
    code: 1,
    lines: [/^ {2}with CI=true every test must run$/, /^2 passed, 0 failed$/]
  },
  'a failing test fails, and so does a file that ends with an error': {
    files: { 'test/half.test.ts': `${tested}t.equal(half(2), 2)\n`, 'test/broken.test.ts': "throw new Error('broken')\n" },
    code: 1,
    lines: [/^ {2}tests failed$/, /^2 passed, 2 failed$/]
  },
  'the full set has the long tests, and fails for low coverage and a module that no test loads': {
    files: { 'lib/forgotten.ts': 'export const forgotten = true\n', 'test/half.test.ts': testedEven, 'test/even.long.test.ts': testedEven },
    args: ['--full'],
    code: 1,
    lines: [/^ {2}coverage: 66\.67 % of the lines of lib, less than 95 %$/, /^ {2}coverage: no test loads .*forgotten\.ts$/, /^2 passed, 0 failed$/]
  },
  'a long test runs otherwise if it is named only, and a run of some files leaves the counts of all in place': {
    files: { 'test/half.test.ts': tested, 'test/odd.long.test.ts': tested, 'test/even.long.test.ts': tested },
    before: [[]],
    args: ['test', 'test/odd.long.test.ts'],
    code: 0,
    lines: [/^4 passed, 0 failed$/],
    counts: '2 passed, 0 failed\n'
  },
  'in CI, the full set goes on after the short one: with its coverage, its counts, and what the machine is unfit for': {
    files: {
      'test/even.test.ts': testedEven,
      'test/odd.long.test.ts': `${testedOdd}t.test('of a moon', { skip: 'This machine has no moon' }, async () => {})\n`
    },
    environment: { CI: 'true' },
    before: [[]],
    args: ['--rest'],
    code: 0,
    lines: [
      /^# Subtest: \.tap\/groups\/001\.js$/,
      /^Not run:$/,
      /^ {2}test\/odd\.long\.test\.ts > of a moon: This machine has no moon$/,
      /^2 passed, 0 failed$/
    ],
    absent: /even\.test\.ts|Not good enough/
  },
  'low coverage of both together fails, and so does a test of the second part': {
    files: { 'test/even.test.ts': testedEven, 'test/more.long.test.ts': `${testedEven}t.fail()\n` },
    environment: { CI: 'true' },
    before: [[]],
    args: ['--rest'],
    code: 1,
    lines: [/^ {2}coverage: 66\.67 % of the lines of lib, less than 95 %$/, /^ {2}tests failed$/, /^2 passed, 1 failed$/]
  },
  'the second part needs the first': {
    files: { 'test/half.test.ts': tested, 'test/odd.long.test.ts': testedOdd },
    environment: { CI: 'true' },
    before: [['test']], // not measured, because it is of some files
    args: ['--rest'],
    code: 1,
    lines: [/^--rest goes on after `CI=true npm test`: run that first$/, /^0 passed, 0 failed$/]
  }
}

t.setTimeout(900_000)

for (const [title, { files, environment = {}, before = [], args = [], code, lines, absent, counts }] of Object.entries(cases)) {
  t.test(title, async t => {
    const directory = await makeProject(t, files)
    const runTests = async (args: readonly string[]) =>
      await run(process.execPath, [join(root, 'scripts/test.js'), ...args], { cwd: directory, env: { ...plainEnvironment, CI: '', ...environment } })
        .then(({ stdout }) => ({ code: 0, stdout }), ({ code, stdout }) => ({ code, stdout: String(stdout) }))
    for (const earlier of before) t.equal((await runTests(earlier)).code, 0)
    const result = await runTests(args)
    const printed = result.stdout.trimEnd().split('\n')

    t.equal(result.code, code)
    for (const line of lines) t.ok(printed.some(text => line.test(text)), `prints ${line}`)
    if (absent) t.notMatch(result.stdout, absent)
    if (counts) t.equal(await readFile(join(directory, '.tap/counts.txt'), 'utf8'), counts)
    t.match(printed.at(-1), /^\d+ passed, \d+ failed$/, 'the counts come last')
  })
}

async function makeProject (t: Test, files: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'test-command-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  const all = {
    'package.json': '{ "type": "module" }',
    '.taprc': taprc,
    'lib/half.ts': half,
    ...files
  }
  for (const [path, content] of Object.entries(all)) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), content)
  }
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
  return directory
}
