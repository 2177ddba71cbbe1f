import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Test } from 'tap'

export const root = fileURLToPath(new URL('../../', import.meta.url))
export const run = promisify(execFile)

/** An environment without what the test runner puts into its own: for programs that must work without it. */
export const plainEnvironment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(NODE_|_?TAP|npm_)/.test(name)))

/** A project with the packed package in its node_modules, beside links to what the package says it needs. */
export interface PackedProject {
  readonly directory: string
  /** Links further packages of this repository. */
  link (...names: string[]): Promise<void>
}

/** Packs dist as it was built by `npm run build`, and installs the tarball in a new directory without any network. */
export async function installPacked (t: Test): Promise<PackedProject> {
  const directory = await mkdtemp(join(tmpdir(), 'packed-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  const installed = join(directory, 'node_modules', 'fastify-onlyoffice')
  await mkdir(installed, { recursive: true })
  // Without its scripts: they would build dist anew while other tests use it.
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', directory], { cwd: root, env: plainEnvironment })
  const [tarball] = (await readdir(directory)).filter(name => name.endsWith('.tgz'))
  await run('tar', ['-xzf', tarball!, '--strip-components=1', '-C', installed], { cwd: directory })

  const project: PackedProject = {
    directory,
    async link (...names) {
      for (const name of names) {
        const path = join(directory, 'node_modules', name)
        await mkdir(dirname(path), { recursive: true })
        await symlink(join(root, 'node_modules', name), path)
      }
    }
  }
  const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  const optional = (name: string) => peerDependenciesMeta[name]?.optional === true
  await project.link(...Object.keys(dependencies), ...Object.keys(peerDependencies).filter(name => !optional(name)))
  return project
}

/** Paths of all files below a directory, relative to it, in order. */
export async function filesBelow (directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile()).map(entry => relative(directory, join(entry.parentPath, entry.name))).sort()
}
