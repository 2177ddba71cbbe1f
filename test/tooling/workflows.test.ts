import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { parseDocument } from 'yaml'
import { root } from '../kit/programs.js'

// The configuration of GitHub, which can only be tried there.

interface Step { readonly uses?: string, readonly run?: string }
interface Job {
  readonly 'timeout-minutes'?: number
  readonly environment?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}
interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const run = promisify(execFile)
const files = (await readdir(join(root, '.github'), { recursive: true })).filter(file => file.endsWith('.yml'))
const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))

const read = async (file: string) => parseDocument(await readFile(join(root, '.github', file), 'utf8'))

t.test('all files are valid YAML', async t => {
  t.ok(files.length > 4)
  for (const file of files) {
    const { errors, warnings } = await read(file)
    t.strictSame([...errors, ...warnings], [], file)
  }
})

t.test('workflows may only read, end, use actions of a fixed commit, and call what exists', async t => {
  for (const file of files.filter(file => file.startsWith('workflows'))) {
    const { permissions, jobs } = (await read(file)).toJS() as Workflow
    t.strictSame(permissions, { contents: 'read' }, file)
    for (const { steps, ...job } of Object.values(jobs)) {
      t.type(job['timeout-minutes'], 'number', file)
      for (const { uses, run } of steps) {
        if (uses !== undefined) t.match(uses, /^[\w-]+\/[\w/-]+@[\da-f]{40}$/)
        t.strictSame(missing(run ?? ''), [], `${file}: ${run}`)
      }
    }
  }
})

t.test('what can publish runs no code of the project, only npm on the tarball of a job that cannot', async t => {
  const { jobs } = (await read('workflows/release.yml')).toJS() as Workflow
  const canPublish = (job: Job) => job.environment !== undefined || job.permissions !== undefined || JSON.stringify(job).includes('secrets.')
  const [build, publish] = [jobs.build!, jobs.publish!]
  t.strictSame(Object.values(jobs).filter(canPublish), [publish])
  t.strictSame(publish.permissions, { 'id-token': 'write' })
  t.notOk(publish.steps.some(({ uses = '', run = '' }) => /checkout|npm (?:ci|install|run)|node /.test(uses + run)))
  t.match(publish.steps.at(-1)?.run, /^npm publish .*--ignore-scripts \.\/packed\/\*\.tgz$/)
  t.ok(build.steps.some(({ run }) => run === '.ci/run'))
})

t.test('.ci/run calls what exists', async t => {
  const script = await readFile(join(root, '.ci/run'), 'utf8')
  t.ok(script.includes('npm run'))
  t.strictSame(missing(script), [])
})

t.test('a script that does not exist is found', async t => {
  t.strictSame(missing('npm ci && npm run -s lint && npm run no-such -- --x && .ci/run && node scripts/no-such.js'), ['npm run no-such', 'scripts/no-such.js'])
})

t.test('a release needs a tag of the version, and a changelog with it', async t => {
  const cwd = t.testdir({
    'package.json': '{"name":"main","version":"1.2.3"}',
    'CHANGELOG.md': '## [Unreleased]\n\n## [1.2.3] - 2030-01-31\n',
    emulator: { 'package.json': '{"name":"other","version":"0.3.0"}', 'CHANGELOG.md': '## [Unreleased]\n\nWith 0.3.0\n' }
  })
  const check = async (...args: string[]) => await run(process.execPath, [join(root, 'scripts/check-release.js'), ...args], { cwd })
    .then(({ stdout }) => [0, stdout.trim()], ({ code, stdout }) => [code, stdout.trim()])

  t.strictSame(await check('v1.2.3'), [0, 'main 1.2.3'])
  t.strictSame(await check('v1.2.4'), [
    1,
    'main has version 1.2.3 in its package.json, not 1.2.4\nThe changelog of main has no line "## [1.2.4] - year-month-day"'
  ])
  t.strictSame(await check('emulator-v0.3.0'), [1, 'The changelog of other has no line "## [0.3.0] - year-month-day"'])
  t.strictSame(await check('latest'), [1, 'latest: a tag is v1.2.3, or emulator-v1.2.3'])
  t.strictSame(await check(), [1, 'No tag: a tag is v1.2.3, or emulator-v1.2.3'])
})

/** npm scripts and files that a shell script calls and that do not exist. */
function missing (shell: string): string[] {
  const called = [...shell.matchAll(/\bnpm run (?:--?[\w-]+ )*([\w:][\w:-]*)/g)].map(([, name]) => name!)
  const programs = [...shell.matchAll(/(?:^|\s)((?:scripts\/|\.ci\/)[\w./-]+)/g)].map(([, path]) => path!)
  return [
    ...called.filter(name => !Object.hasOwn(scripts, name)).map(name => `npm run ${name}`),
    ...programs.filter(path => !existsSync(join(root, path)))
  ]
}
