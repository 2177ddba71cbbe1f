import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'

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
        'NODE_OPTIONS',
        'NODE_V8_COVERAGE',
        'HOST',
        'ALLOWED_HOSTS',
        'EDITOR_API_URL',
        'JWT_SECRET',
        'PUBLIC_BASE_URL',
        'PROFILE'
      ].includes(name)
    ) delete env[name]
  }
  return env
}
