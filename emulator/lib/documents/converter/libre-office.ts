import { spawn } from 'node:child_process'
import { access, constants, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { offlineProfile } from './libre-office-profile.js'

const DEADLINE_MS = 60_000
const MAX_RESULT_BYTES = 100 * 1024 * 1024

/** Formats come from requests and become file names and arguments: only these characters are safe. */
export function isExtension (format: string): boolean {
  return /^[a-z0-9]{1,8}$/.test(format)
}

export type OfficeConverter = NonNullable<Awaited<ReturnType<typeof libreOffice>>>

interface Limits {
  readonly deadlineMs?: number
  /** Ends running and waiting conversions. */
  readonly closing?: AbortSignal
}

/**
 * A converter that runs `soffice`; `null` when it is not installed or disabled. Documents are not trusted: LibreOffice
 * makes no requests for them, runs none of their macros, and is killed with all its processes after a minute.
 */
export async function libreOffice (option: string | false | undefined, limits: Limits = {}) {
  const executable = option === false ? null : option ?? await findInPath('soffice')
  if (executable === null) return null
  let last: Promise<unknown> = Promise.resolve()

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
        // A second soffice with the same profile would hand over to the first and exit.
        `-env:UserInstallation=${pathToFileURL(profile).href}`,
        '--headless', '--norestore', '--convert-to', to, '--outdir', join(directory, 'out'), source
      ], directory, limits)
      return finished ? await readResult(result) : null
    } finally {
      await rm(directory, { recursive: true, force: true, maxRetries: 3 })
    }
  }

  /** Converts a file, one after the other. Resolves to `null` when it can't. */
  async function queued (bytes: Uint8Array, from: string, to: string): Promise<Buffer | null> {
    if (!isExtension(from) || !isExtension(to)) return null
    const task = last.then(async () => await convert(bytes, from, to))
    last = task.catch(() => {})
    return await task
  }

  return Object.assign(queued, {
    /** Resolves when no conversion is running and its files are deleted. */
    idle: async () => await last
  })
}

async function run (
  executable: string,
  parameters: readonly string[],
  directory: string,
  { deadlineMs = DEADLINE_MS, closing }: Limits
): Promise<boolean> {
  return await new Promise(resolve => {
    // A separate process group: soffice is a script, and its child does the work and must end, too.
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
    if (closing?.aborted === true) end() // aborted while the files were written
    child.once('error', () => settle(false))
    child.once('exit', code => settle(code === 0))
  })
}

/** Without proxy variables. Temporary files go to the directory, which is deleted. */
function environment (directory: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/proxy/i.test(name))
  return { ...Object.fromEntries(inherited), HOME: directory, TMPDIR: directory }
}

function endGroup (pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All processes have ended.
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
