import { existsSync } from 'node:fs'
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { installPacked, type PackedProject, plainEnvironment, root, run } from '../kit/programs.js'

// Pages made by React and Vue compile with <document-editor>: those of the examples, and hosts in which @ts-expect-error
// marks what must not compile. types.long.test.ts has a page without a framework.

const skip = existsSync(join(root, 'scripts/tools/node_modules')) ? false : 'needs npm run install:tools'
const COMPILER = 'node_modules/typescript/bin/tsc'
const VUE_COMPILER = 'scripts/tools/node_modules/vue-tsc/bin/vue-tsc.js'
/** The oldest that is supported, and the newest. */
const others = {
  5.4: 'scripts/tools/node_modules/typescript-5.4/bin/tsc',
  '7.0': 'scripts/tools/node_modules/typescript-7.0/bin/tsc'
}

/** The declaration files of all packages are checked, too. */
const settings = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: [],
  noEmit: true
}

t.setTimeout(600_000)
t.jobs = 2

for (const [version, types] of Object.entries({ 18: 'scripts/tools/node_modules/types-react-18', 19: 'node_modules/@types/react' })) {
  t.test(`React ${version}`, { skip }, async t => {
    const project = await installPacked(t, 'fastify-onlyoffice')
    await mkdir(join(project.directory, 'node_modules/@types'), { recursive: true })
    await symlink(join(root, types), join(project.directory, 'node_modules/@types/react'))
    const files = ['react.tsx', `react-${version}.tsx`]
    for (const file of files) await copyFile(join(root, 'test/package/hosts', file), join(project.directory, file))
    for (const [compiler, path] of Object.entries(others)) {
      const output = await compiled(project, path, { compilerOptions: { ...settings, jsx: 'react-jsx' }, files })
      t.equal(output, '', `TypeScript ${compiler}`)
    }
  })
}

t.test('Vue', { skip }, async t => {
  const project = await installPacked(t, 'fastify-onlyoffice')
  await project.link('vue')
  await copyFile(join(root, 'test/package/hosts/Page.vue'), join(project.directory, 'Page.vue'))
  const output = await compiled(project, VUE_COMPILER, {
    compilerOptions: { ...settings, jsx: 'preserve' },
    vueCompilerOptions: { strictTemplates: true },
    files: ['Page.vue']
  })
  t.equal(output, '')
})

t.test('the examples', { skip }, async t => {
  for (const [example, compiler] of Object.entries({ react: COMPILER, vue: VUE_COMPILER })) {
    t.equal(await outputOf(compiler, join(root, 'examples', example, 'page')), '', example)
  }
})

async function compiled ({ directory }: PackedProject, compiler: string, config: object): Promise<string> {
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config))
  return await outputOf(compiler, directory)
}

/** The compiler's errors in a project. */
async function outputOf (compiler: string, directory: string): Promise<string> {
  // The test runner sets NODE_OPTIONS for whatever is started. With that, TypeScript 7 does not start.
  const args = ['-u', 'NODE_OPTIONS', process.execPath, join(root, compiler), '-p', join(directory, 'tsconfig.json')]
  return await run('env', args, { cwd: directory, env: plainEnvironment })
    .then(({ stdout }) => stdout, error => `${error.stdout}${error.stderr}`)
}
