import { spawn } from 'node:child_process'
import { access, constants, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { offlineProfile } from './office-profile.js'
import { atMost } from './queue.js'

const DEADLINE_MS = 60_000
const AT_ONCE = 2
const MAX_RESULT_BYTES = 100 * 1024 * 1024

/** Whether it is only the end of a file name: formats come with requests, and become that and an argument. */
export function isExtension (format: string): boolean {
  return /^[a-z0-9]{1,8}$/.test(format)
}

/** Converts a file with LibreOffice. Resolves to `null` when it can't. */
export interface OfficeConverter {
  (bytes: Uint8Array, from: string, to: string): Promise<Buffer | null>
  /** Resolves when nothing is at work, and nothing of it left on the disk. */
  idle (): Promise<unknown>
}

interface Limits {
  readonly deadlineMs?: number
  /** Ends what is running, and what waits. */
  readonly closing?: AbortSignal
}

/**
 * A converter by `soffice`; `null` when it is not installed or not wanted. The document is not trusted: LibreOffice fetches
 * nothing for it, runs no macros of it, and is ended with all its processes when it takes more than a minute.
 */
export async function libreOffice (option: string | false | undefined, limits: Limits = {}): Promise<OfficeConverter | null> {
  const executable = option === false ? null : option ?? await findInPath('soffice')
  if (executable === null) return null
  const inTurn = atMost(AT_ONCE)
  const atWork = new Set<Promise<unknown>>()

  async function convert (bytes: Uint8Array, from: string, to: string): Promise<Buffer | null> {
    if (limits.closing?.aborted === true) return null
    const directory = await mkdtemp(join(tmpdir(), 'document-server-'))
    try {
      const source = join(directory, `source.${from}`)
      const result = join(directory, 'out', `source.${to}`)
      const profile = join(directory, 'profile')
      await writeFile(source, bytes)
      await offlineProfile(profile)
      const finished = await run(executable!, [
        // A profile of its own: a second soffice on the same profile would hand over to the first and exit.
        `-env:UserInstallation=${pathToFileURL(profile).href}`,
        '--headless', '--norestore', '--convert-to', to, '--outdir', join(directory, 'out'), source
      ], directory, limits)
      return finished ? await readResult(result) : null
    } finally {
      await rm(directory, { recursive: true, force: true, maxRetries: 3 })
    }
  }

  async function queued (bytes: Uint8Array, from: string, to: string): Promise<Buffer | null> {
    if (!isExtension(from) || !isExtension(to)) return null
    const task = inTurn(async () => await convert(bytes, from, to))
    atWork.add(task)
    try {
      return await task
    } finally {
      atWork.delete(task)
    }
  }

  return Object.assign(queued, { idle: async () => await Promise.allSettled(atWork) })
}

async function run (executable: string, parameters: readonly string[], directory: string, { deadlineMs = DEADLINE_MS, closing }: Limits): Promise<boolean> {
  return await new Promise(resolve => {
    // A process group of its own: soffice is a script whose child does the work and must end with it.
    const child = spawn(executable, parameters, { stdio: 'ignore', detached: true, env: environment(directory) })
    const end = () => { if (child.pid !== undefined) endGroup(child.pid) }
    const deadline = setTimeout(end, deadlineMs)
    const settle = (finished: boolean) => {
      clearTimeout(deadline)
      closing?.removeEventListener('abort', end)
      end()
      resolve(finished)
    }
    closing?.addEventListener('abort', end)
    if (closing?.aborted === true) end() // while its files were written
    child.once('error', () => settle(false))
    child.once('exit', code => settle(code === 0))
  })
}

/** Nothing of proxies; its own temporary files are removed with the directory. */
function environment (directory: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/proxy/i.test(name))
  return { ...Object.fromEntries(inherited), HOME: directory, TMPDIR: directory }
}

function endGroup (pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All have ended.
  }
}

async function readResult (path: string): Promise<Buffer | null> {
  const { size } = await stat(path).catch(() => ({ size: Infinity }))
  return size > MAX_RESULT_BYTES ? null : await readFile(path)
}

async function findInPath (name: string): Promise<string | null> {
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    const candidate = join(directory, name)
    if (directory !== '' && await access(candidate, constants.X_OK).then(() => true, () => false)) return candidate
  }
  return null
}
