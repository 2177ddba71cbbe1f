import { existsSync } from 'node:fs'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { installPacked, plainEnvironment, root, run } from '../kit/programs.js'

const hosts = ['typed-esm.mts', 'typed-element.mts', 'no-any.mts', 'typed-commonjs-import.cts', 'typed-commonjs.cts', 'typed-s3.mts', 'typed-postgres.mts']
const esm = ['typed-esm.mts', 'typed-element.mts', 'no-any.mts', 'minimal.mts']
const nodenext = { module: 'nodenext', files: [...esm, 'typed-commonjs-import.cts'] }
/** With `require()` of an ES module, which TypeScript has learnt in 5.8. */
const newer = { ...nodenext, files: [...nodenext.files, 'typed-commonjs.cts'] }
/** With the types of the AWS SDK, which take long to check, and of pg. */
const withStorages = { ...newer, files: [...newer.files, 'typed-s3.mts', 'typed-postgres.mts'] }
/** Knows less than nodenext, and nothing else. */
const node16 = { module: 'node16', files: nodenext.files }
const bundler = { module: 'esnext', moduleResolution: 'bundler', files: esm }

/** The oldest that is supported, that of this repository, and the newest, which is the fastest. */
const compilers = {
  5.4: { folder: 'scripts/tools/node_modules/typescript-5.4', settings: { nodenext, node16 } },
  '6.0': { folder: 'node_modules/typescript', settings: { nodenext: newer, bundler } },
  '7.0': { folder: 'scripts/tools/node_modules/typescript-7.0', settings: { nodenext: withStorages, bundler } }
}

/** The declaration files of all packages are checked, too: `skipLibCheck` is not needed with any of these compilers. */
const common = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: ['node'],
  noEmit: true
}

t.setTimeout(600_000)
t.jobs = 2

// What must not compile is marked @ts-expect-error in the hosts: the compiler reports a mark that is not needed.
const { directory, link } = await installPacked(t, 'fastify-onlyoffice', 'onlyoffice-emulator')
await link('@types/node', '@types/pg')
for (const file of hosts) await copyFile(join(root, 'test/package/hosts', file), join(directory, file))
const [firstRun, ...minimal] = (await readFile(join(root, 'examples/minimal/server.js'), 'utf8')).split('\n')
t.match(firstRun, /^import '\.\/first-run\.js'/, 'the only line that is not for an application')
await writeFile(join(directory, 'minimal.mts'), minimal.join('\n'))

for (const [version, { folder, settings }] of Object.entries(compilers)) {
  const path = join(root, folder)
  const skip = existsSync(path) ? false : 'needs npm run install:tools'

  t.test(`the compiler for TypeScript ${version} is of that version`, { skip }, async t => {
    t.match(JSON.parse(await readFile(join(path, 'package.json'), 'utf8')).version, new RegExp(`^${version}\\.`))
  })
  for (const [name, { files, ...compilerOptions }] of Object.entries(settings)) {
    t.test(`a strict application compiles against the packed types: TypeScript ${version}, ${name}`, { skip }, async t => {
      const config = join(directory, `tsconfig.${version}.${name}.json`)
      await writeFile(config, JSON.stringify({ compilerOptions: { ...common, ...compilerOptions }, files }))
      // The test runner sets NODE_OPTIONS for whatever is started. With that, TypeScript 7 does not start.
      const output = await run('env', ['-u', 'NODE_OPTIONS', process.execPath, join(path, 'bin/tsc'), '-p', config], { cwd: directory, env: plainEnvironment })
        .then(({ stdout }) => stdout, error => `${error.stdout}${error.stderr}`)
      t.equal(output, '')
    })
  }
}
