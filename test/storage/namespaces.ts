import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import type { Test } from 'tap'
import { namesIn } from '../kit/storage.js'

/** The arguments for util-linux's `unshare`, and the first commands of the shell in it. */
export interface Namespaces {
  readonly flags: readonly string[]
  readonly prepare?: string
}

/** As in a container. */
export const CONTAINER: Namespaces = { flags: ['--pid', '--fork', '--mount-proc', '--kill-child'] }

/** Whether the machine allows it. Where it does not, the test is skipped with the reason. */
export function isAllowed (t: Test, { flags, prepare = 'true' }: Namespaces): boolean {
  try {
    execFileSync('unshare', [...flags, 'sh', '-c', prepare], { stdio: 'pipe' })
    return true
  } catch (error) {
    t.pass(`unshare ${flags.join(' ')}`, { skip: `needs root on Linux: ${(error as Error).message.trim().replaceAll('\n', ' ')}` })
    return false
  }
}

/** Runs a script of this folder there, until the test ends. */
export function runIn (t: Test, { flags, prepare = 'true' }: Namespaces, script: string, ...args: readonly string[]): ChildProcess {
  const command = [process.execPath, ...process.execArgv, join(import.meta.dirname, script), ...args]
  const child = spawn('unshare', [...flags, 'sh', '-c', `${prepare} && exec "$@"`, 'sh', ...command], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => { child.kill('SIGKILL') })
  return child
}

/** A process that is in the middle of a replace there. Resolves to its temp file. */
export async function writingIn (t: Test, namespaces: Namespaces, directory: string): Promise<{ temp: string, kill (): Promise<void> }> {
  const before = await namesIn(directory)
  const child = runIn(t, namespaces, 'traced/endless-replace.ts', directory)
  await once(child.stdout!, 'data')
  const [temp] = (await namesIn(directory)).filter(name => !before.includes(name))
  return {
    temp: temp!,
    async kill () {
      const closed = once(child, 'close') // when nobody there holds its output any more
      child.kill('SIGKILL')
      await closed
    }
  }
}

/** Does something as if so much time had passed since files were written. */
export async function secondsLater<Result> (seconds: number, task: () => Promise<Result>): Promise<Result> {
  const { lstat } = fs
  fs.lstat = (async (path: string, options?: object) => {
    const stats = await lstat(path, options)
    return Object.assign(stats, typeof stats.ctimeMs === 'number' && { ctimeMs: stats.ctimeMs - seconds * 1000 })
  }) as typeof lstat
  syncBuiltinESMExports()
  try {
    return await task()
  } finally {
    fs.lstat = lstat
    syncBuiltinESMExports()
  }
}
