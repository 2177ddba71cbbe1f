import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export interface Demo {
  readonly url: string
  idOf (name: string): Promise<string>
  /** The stored bytes, as the demo hands them out. */
  download (name: string): Promise<Uint8Array>
  pdf (name: string): Promise<Uint8Array>
  /** Ends it as a terminal does; resolves when the process has ended. */
  stop (signal?: NodeJS.Signals): Promise<{ code: number | null, output: string, log: string }>
}

export async function temporaryDirectory (t: Test): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'fastify-onlyoffice-demo-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** The demo as `npm start` runs it, in a process of its own, with its documents in `directory`. Ended with the test. Rejects when it ends by itself. */
export async function startDemo (t: Test, options: { readonly directory?: string, readonly env?: NodeJS.ProcessEnv } = {}): Promise<Demo> {
  const directory = options.directory ?? await temporaryDirectory(t)
  const child = spawn(process.execPath, ['examples/demo/server.js'], { cwd: ROOT, env: { ...environment(directory), ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const log = text(child.stderr)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', chunk => { output += chunk })
  let stopped = false
  function end (signal: NodeJS.Signals): Promise<[number | null]> {
    stopped = true
    child.kill(signal)
    return exited
  }
  t.teardown(() => end('SIGTERM'))

  while (!output.includes('\n')) {
    const [event] = await Promise.race([once(child.stdout, 'data').then(() => ['data']), exited.then(() => ['exit'])])
    if (event === 'exit') throw new Error(`the demo has ended: ${await log}`)
  }
  child.once('exit', async code => {
    if (!stopped) t.comment(`the demo has ended by itself with code ${code}: ${await log}`)
  })
  const url = /http:\/\/\S+/.exec(output)?.[0] ?? ''

  async function idOf (name: string): Promise<string> {
    const entries: Array<{ id: string, name: string }> = JSON.parse(await readFile(join(directory, 'documents.json'), 'utf8'))
    const entry = entries.find(entry => entry.name === name)
    if (!entry) throw new Error(`the demo has no ${name}`)
    return entry.id
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
    async stop (signal = 'SIGTERM') {
      const [code] = await end(signal)
      return { code, output, log: await log }
    }
  }
}

/** What the test runner sets is not for the demo, which runs the built package. */
function environment (dataDirectory: string): NodeJS.ProcessEnv {
  const env = { ...process.env, PORT: '0', DATA_DIR: dataDirectory, THUMBNAILS: 'off' } // LibreOffice would take the time of other tests
  for (const name of Object.keys(env)) {
    if (/^(TAP|_TAP)/.test(name) || ['NODE_OPTIONS', 'NODE_V8_COVERAGE', 'HOST', 'ALLOWED_HOSTS', 'EDITOR_API_URL', 'JWT_SECRET', 'PUBLIC_BASE_URL', 'PROFILE'].includes(name)) {
      delete env[name as keyof typeof env]
    }
  }
  return env
}
