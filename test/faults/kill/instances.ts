import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Test } from 'tap'

export interface Instance {
  readonly origin: string
  /** Closes the app. Resolves to the exit code of the process, which ends by itself. */
  close (): Promise<number | null>
}

/** Starts a service in a process of its own, on a directory that others may share. */
export async function startInstance (t: Test, directory: string, documentServer: string): Promise<Instance> {
  const child = fork(join(import.meta.dirname, 'instance.ts'), [directory, documentServer], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(child, 'exit') as Promise<[number | null]>
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const [origin] = await once(child, 'message') as [string]
  return {
    origin,
    async close () {
      child.send('close')
      const [code] = await ended
      return code
    }
  }
}
