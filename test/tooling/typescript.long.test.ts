import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { plainEnvironment, root, run } from '../kit/programs.js'

// Node.js with the hooks that run the tests' TypeScript.

t.test('a stack trace names the line and column of the source, the first time and later', async t => {
  const moved = `interface Moon {\n  readonly size: number // ${Date.now()}\n}\n\n(undefined as unknown as Moon).size\n`
  const directory = await makeDirectory(t, { 'moon.ts': moved })

  for (const time of ['first', 'again']) t.match(await failure(directory), /moon\.ts:5:32\)?$/m, time)
})

t.test('an import of a .js name finds the TypeScript file, otherwise the JavaScript file', async t => {
  const directory = await makeDirectory(t, {
    'moon.ts': "import { size } from './size.js'\nimport { name } from './name.js'\nconst both: string = name + size\nthrow new Error(both)\n",
    'size.ts': 'export const size: number = 7\n',
    'name.js': "export const name = 'Io'\n"
  })

  t.match(await failure(directory), /^Error: Io7$/m)
})

t.test('TypeScript syntax that is more than types is refused', async t => {
  const directory = await makeDirectory(t, { 'moon.ts': 'enum Moon { io }\nthrow new Error(String(Moon.io))\n' })

  t.match(await failure(directory), /SyntaxError.*More than types to remove.*moon\.ts/)
})

async function makeDirectory (t: Test, files: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'typescript-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  for (const [name, content] of Object.entries({ 'package.json': '{ "type": "module" }', ...files })) await writeFile(join(directory, name), content)
  return directory
}

async function failure (directory: string): Promise<string> {
  const hooks = pathToFileURL(join(root, 'scripts/typescript/register.js')).href
  const { stderr } = await run(process.execPath, [`--import=${hooks}`, 'moon.ts'], { cwd: directory, env: plainEnvironment }).catch(error => error)
  return String(stderr)
}
