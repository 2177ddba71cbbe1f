import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { noPostgres, postgres } from '../kit/postgres.js'
import { installPacked, plainEnvironment, root, run } from '../kit/programs.js'

t.setTimeout(300_000)

const { directory, link } = await installPacked(t, 'fastify-onlyoffice', 'onlyoffice-emulator')
await cp(join(root, 'examples/company-app'), directory, { recursive: true })
const { dependencies, devDependencies } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'))
await link(...Object.keys({ ...dependencies, ...devDependencies }).filter(name => !name.includes('onlyoffice')))

const test = async (env: NodeJS.ProcessEnv) =>
  (await run(process.execPath, ['--test'], { cwd: directory, env: { ...plainEnvironment, ...env } })).stdout

t.test('example company-app: keeps its documents in PostgreSQL', { skip: noPostgres }, async t => {
  const { connection: { host, user }, pool, newPool } = await postgres(t)
  await pool.query('CREATE DATABASE company')
  t.match(await test({ TEST_STORAGE: 'postgres', TEST_DATABASE_URL: `socket:${host}?db=company&user=${user}` }), /pass 12/)
  const { rows } = await newPool({ database: 'company' }).query('SELECT FROM onlyoffice_records')
  t.ok(rows.length > 5)
})

t.test('example company-app: keeps its documents in PGlite', async t => {
  t.match(await test({ TEST_STORAGE: 'postgres' }), /pass 12/)
})
