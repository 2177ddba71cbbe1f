import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { installPacked, plainEnvironment, root, run } from '../helpers/packed.js'

const hosts = ['typed-esm.mts', 'typed-commonjs.cts']

t.setTimeout(180_000)

// What must not compile is marked @ts-expect-error in the hosts: the compiler reports a mark that is not needed.
t.test('strict TypeScript applications, ESM and CommonJS, compile against the packed types, which are checked too', async t => {
  const { directory, link } = await installPacked(t, 'fastify-onlyoffice', 'onlyoffice-emulator')
  await link('@types/node', 'typescript')
  for (const host of hosts) await copyFile(join(root, 'test/package/hosts', host), join(directory, host))
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({
    compilerOptions: { module: 'nodenext', target: 'es2023', strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, types: ['node'], noEmit: true },
    files: hosts
  }))

  const output = await run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.'], { cwd: directory, env: plainEnvironment })
    .then(({ stdout }) => stdout, error => `${error.stdout}${error.stderr}`)
  t.equal(output, '')
})
