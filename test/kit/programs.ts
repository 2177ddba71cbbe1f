import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
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

/** Our packages, by their folders. */
const folders = { 'fastify-onlyoffice': '.', 'onlyoffice-emulator': 'emulator' } as const

export type PackageName = keyof typeof folders

/** A project with packed packages in its node_modules, beside links to what they say they need. */
export interface PackedProject {
  readonly directory: string
  /** Links further packages that this repository has installed. */
  link (...names: string[]): Promise<void>
}

/** Packs what `npm run build` has built, and installs the tarballs in a new directory without any network. */
export async function installPacked (t: Test, ...names: PackageName[]): Promise<PackedProject> {
  const directory = await mkdtemp(join(tmpdir(), 'packed-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  const project: PackedProject = {
    directory,
    async link (...names) {
      for (const name of names) await link(name, [root])
    }
  }

  async function install (name: PackageName): Promise<void> {
    const folder = join(root, folders[name])
    const installed = join(directory, 'node_modules', name)
    await mkdir(installed, { recursive: true })
    // Without its scripts: they would build dist anew while other tests use it.
    const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', directory], { cwd: folder, env: plainEnvironment })
    const [{ filename }] = JSON.parse(stdout)
    await run('tar', ['-xzf', filename, '--strip-components=1', '-C', installed], { cwd: directory })
    const { dependencies, peerDependencies = {} } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
    for (const needed of Object.keys({ ...dependencies, ...peerDependencies })) await link(needed, [folder, root])
  }

  /** As npm would: the package's own copy, where it has one, else that of all. */
  async function link (name: string, places: readonly string[]): Promise<void> {
    const path = join(directory, 'node_modules', name)
    await mkdir(dirname(path), { recursive: true })
    const source = places.map(place => join(place, 'node_modules', name)).find(existsSync)
    if (source === undefined) throw new Error(`${name} is not installed`)
    if (!existsSync(path)) await symlink(source, path)
  }

  for (const name of names) await install(name)
  return project
}

/** Paths of all files below a directory, relative to it, in order. */
export async function filesBelow (directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile()).map(entry => relative(directory, join(entry.parentPath, entry.name))).sort()
}
