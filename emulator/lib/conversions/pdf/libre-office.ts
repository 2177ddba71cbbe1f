import { spawn } from 'node:child_process'
import { access, constants, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const DEADLINE_MS = 60_000

/** Converts a file with LibreOffice. Resolves to `null` when it can't. */
export type OfficeConverter = (bytes: Uint8Array, from: string, to: string) => Promise<Buffer | null>

/** A converter by `soffice`; `null` when it is not installed or not wanted. */
export async function libreOffice (option: string | false | undefined): Promise<OfficeConverter | null> {
  const executable = option === false ? null : option ?? await findInPath('soffice')
  if (executable === null) return null

  return async (bytes, from, to) => {
    const directory = await mkdtemp(join(tmpdir(), 'document-server-'))
    try {
      const source = join(directory, `source.${from}`)
      await writeFile(source, bytes)
      const finished = await run(executable, [
        // A profile of its own: a second soffice on the same profile would hand over to the first and exit.
        `-env:UserInstallation=${pathToFileURL(join(directory, 'profile')).href}`,
        '--headless', '--norestore', '--convert-to', to, '--outdir', join(directory, 'out'), source
      ])
      return finished ? await readFile(join(directory, 'out', `source.${to}`)).catch(() => null) : null
    } finally {
      await rm(directory, { recursive: true, force: true, maxRetries: 3 })
    }
  }
}

async function run (executable: string, parameters: readonly string[]): Promise<boolean> {
  return await new Promise(resolve => {
    // A process group of its own: soffice is a script whose child does the work and must end with it.
    const child = spawn(executable, parameters, { stdio: 'ignore', detached: true })
    const deadline = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    }, DEADLINE_MS)
    const settle = (finished: boolean) => {
      clearTimeout(deadline)
      resolve(finished)
    }
    child.once('error', () => settle(false))
    child.once('exit', code => settle(code === 0))
  })
}

async function findInPath (name: string): Promise<string | null> {
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    const candidate = join(directory, name)
    if (directory !== '' && await access(candidate, constants.X_OK).then(() => true, () => false)) return candidate
  }
  return null
}
