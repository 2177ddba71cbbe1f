import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { root } from '../kit/programs.js'

// What publishes the packages, and may not run code that somebody else can change.

interface Job {
  readonly environment?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: ReadonlyArray<{ readonly uses?: string, readonly run?: string }>
}
interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const folder = join(root, '.github/workflows')
const read = async (file: string): Promise<Workflow> => parse(await readFile(join(folder, file), 'utf8'))

t.test('workflows may only read, and use actions of a fixed commit', async t => {
  for (const file of await readdir(folder)) {
    const { permissions, jobs } = await read(file)
    t.strictSame(permissions, { contents: 'read' }, file)
    for (const { uses } of Object.values(jobs).flatMap(({ steps }) => steps)) {
      if (uses !== undefined) t.match(uses, /^[\w-]+\/[\w/-]+@[\da-f]{40}$/)
    }
  }
})

t.test('what can publish runs no code of the project, only npm on the tarball of a job that cannot', async t => {
  const { jobs } = await read('release.yml')
  const canPublish = (job: Job) => job.environment !== undefined || job.permissions !== undefined || JSON.stringify(job).includes('secrets.')
  const [build, publish] = [jobs.build!, jobs.publish!]
  t.strictSame(Object.values(jobs).filter(canPublish), [publish])
  t.strictSame(publish.permissions, { 'id-token': 'write' })
  t.notOk(publish.steps.some(({ uses = '', run = '' }) => /checkout|npm (?:ci|install|run)|node /.test(uses + run)))
  t.match(publish.steps.at(-1)?.run, /^npm publish .*--ignore-scripts \.\/packed\/\*\.tgz$/)
  t.ok(build.steps.some(({ run }) => run?.startsWith('.ci/run')))
})
