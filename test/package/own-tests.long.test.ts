import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { installPacked, plainEnvironment, root, run } from '../kit/programs.js'

const PROGRAM = 'save-flow.test.mjs'

t.setTimeout(300_000)

t.test('an application with the packed package tests its own save flow in under 40 lines', async t => {
  const source = join(root, 'test/package/hosts', PROGRAM)
  const lines = (await readFile(source, 'utf8')).trimEnd().split('\n')
  t.ok(lines.length < 40, `${lines.length} lines`)

  const project = await installPacked(t, 'fastify-onlyoffice', 'onlyoffice-emulator')
  await copyFile(source, join(project.directory, PROGRAM))
  const test = (environment: Record<string, string>) =>
    run(process.execPath, ['--test', '--test-reporter=tap', PROGRAM], { cwd: project.directory, env: { ...plainEnvironment, ...environment } })

  t.match((await test({})).stdout, /^# pass 1$/m)
  await t.rejects(test({ JWT_SECRET: 'a secret of which the document server knows nothing' }), { code: 1 }, 'and it can fail')
})
