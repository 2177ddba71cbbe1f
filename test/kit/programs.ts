// Programs in processes of their own: packed packages in a new project (`installPacked`), the examples
// (`startExample`), the demo (`startDemo`), nginx (`startNginx`) and LibreOffice.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import type { Test } from 'tap'
import { nginxProgram, startNginx as startAnyNginx } from '../../scripts/nginx.js'
import { freePort } from './http.js'

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

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const URL_OF_APPLICATION = /http:\/\/127\.0\.0\.1:\d+(?=[\s"/])/

export interface Example {
  /** The first URL that it has printed. */
  readonly url: string
  /** Where it runs: its documents are there. */
  readonly directory: string
  /** Ends it as a terminal does; resolves when the process has ended. */
  stop (signal?: NodeJS.Signals): Promise<{ code: number | null, output: string, log: string }>
}

export interface ExampleOptions {
  /** Default: an empty one. */
  readonly directory?: string
  readonly env?: NodeJS.ProcessEnv
}

export async function temporaryDirectory (t: Test): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'fastify-onlyoffice-example-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/**
 * A program of `examples/` as a user starts it, in a process of its own: `minimal/server.js`. Resolves when it has
 * printed its URL. Ended with the test. Rejects when it ends by itself.
 */
export async function startExample (t: Test, program: string, options: ExampleOptions = {}): Promise<Example> {
  const directory = options.directory ?? await temporaryDirectory(t)
  const child = spawn(process.execPath, [join(ROOT, 'examples', program)], {
    cwd: directory,
    env: { ...environment(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const log = text(child.stderr)
  const isRead = once(child.stdout, 'end') // may be after the exit
  let output = ''
  child.stdout.setEncoding('utf8').on('data', chunk => { output += chunk })
  let stopped = false
  function end (signal: NodeJS.Signals): Promise<[number | null]> {
    stopped = true
    child.kill(signal)
    return exited
  }
  t.teardown(() => end('SIGTERM'))

  while (!URL_OF_APPLICATION.test(output)) {
    const [event] = await Promise.race([once(child.stdout, 'data').then(() => ['data']), exited.then(() => ['exit'])])
    if (event === 'exit') throw new Error(`${program} has ended: ${await log}`)
  }
  child.once('exit', async code => {
    if (!stopped) t.comment(`${program} has ended by itself with code ${code}: ${await log}`)
  })

  return {
    url: URL_OF_APPLICATION.exec(output)?.[0] ?? '',
    directory,
    async stop (signal = 'SIGTERM') {
      const [code] = await end(signal)
      await isRead
      return { code, output, log: await log }
    }
  }
}

/** What the test runner sets is not for the program, which runs the built packages. */
function environment (): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, PORT: '0' }
  for (const name of Object.keys(env)) {
    if (
      /^(TAP|_TAP)/.test(name) ||
      [
        'NODE_OPTIONS', 'NODE_V8_COVERAGE', 'HOST', 'ALLOWED_HOSTS', 'EDITOR_API_URL', 'JWT_SECRET',
        'PUBLIC_BASE_URL', 'PROFILE'
      ].includes(name)
    ) delete env[name]
  }
  return env
}

export interface Demo extends Pick<Example, 'url' | 'stop'> {
  /** Waits until a document that is listed is stored: the list shows it before. */
  idOf (name: string): Promise<string>
  /** The stored bytes, as the demo hands them out. */
  download (name: string): Promise<Uint8Array>
  pdf (name: string): Promise<Uint8Array>
}

/** The demo as `npm start` runs it, with its documents in `directory`. */
export async function startDemo (t: Test, options: { readonly directory?: string, readonly env?: NodeJS.ProcessEnv } = {}): Promise<Demo> {
  const directory = options.directory ?? await temporaryDirectory(t)
  // Without thumbnails: LibreOffice would take the time of other tests.
  const { url, stop } = await startExample(t, 'demo/server.js', { directory, env: { DATA_DIR: directory, THUMBNAILS: 'off', ...options.env } })

  async function idOf (name: string): Promise<string> {
    while (true) {
      const entries: Array<{ id: string, name: string }> = JSON.parse(await readFile(join(directory, 'documents.json'), 'utf8'))
      const entry = entries.find(entry => entry.name === name)
      if (entry) return entry.id
      const list = await (await fetch(url)).text()
      if (!list.includes(`data-name="${name.replaceAll('&', '&amp;')}"`)) throw new Error(`the demo has no ${name}`)
    }
  }

  async function bytes (path: string): Promise<Uint8Array> {
    const response = await fetch(url + path)
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return new Uint8Array(await response.arrayBuffer())
  }

  return {
    url,
    idOf,
    download: async name => bytes(`/documents/${await idOf(name)}/download`),
    pdf: async name => bytes(`/documents/${await idOf(name)}/pdf`),
    stop
  }
}

/** For the `skip` option of a test: why there is no LibreOffice, else `false`. */
export async function missingOffice (): Promise<string | false> {
  return await run('soffice', ['--version']).then(() => false as const, () => 'LibreOffice is not installed')
}

export { nginxProgram }

/** A real nginx with the given contents of its `server`, as any user. It ends with the test. */
export async function startNginx (t: Test, server: string): Promise<{ readonly origin: string }> {
  const port = await freePort()
  const nginx = await startAnyNginx({ directory: t.testdir(), port, http: `server { listen 127.0.0.1:${port}; ${server} }` })
  t.teardown(nginx.stop)
  return { origin: nginx.url }
}
