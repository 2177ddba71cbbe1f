import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as soon } from 'node:timers/promises'
import type { Test } from 'tap'
import type { Holds } from './holds.js'

export interface Settings {
  readonly directory: string
  /** Origin. */
  readonly documentServer: string
  /** Where saves wait until `goOn`. */
  readonly holds?: Holds
  readonly timeouts?: Readonly<Record<string, number>>
}

export interface Instance {
  readonly origin: string
  /** Of the process or its launcher. */
  readonly pid: number
  /** Closes the app. Resolves to the exit code of the process, which ends by itself. */
  close (): Promise<number | null>
  /** Resolves when so many saves are held. */
  held (count: number): Promise<void>
  /** Lets go of all that is held. */
  goOn (): void
  /** Stops the process until it is resumed. */
  freeze (): Promise<void>
  wakeUp (): void
  /** Ends it at once. */
  kill (): Promise<void>
}

const INSTANCE = join(import.meta.dirname, 'instance.ts')

/**
 * Starts a service in a process of its own, on a directory that others may share. `launcher` is a command that runs the
 * one after it.
 */
export async function startInstance (t: Test, settings: Settings, launcher: readonly string[] = []): Promise<Instance> {
  const [command = '', ...args] = [...launcher, process.execPath, ...process.execArgv, INSTANCE, JSON.stringify(settings)]
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(child, 'exit') as Promise<[number | null]>
  const gone = once(child, 'disconnect') // the launcher may end before what it has launched
  const kill = async () => {
    child.kill('SIGKILL')
    await Promise.all([ended, gone])
  }
  t.teardown(kill)
  const [origin] = await once(child, 'message') as [string]
  const held: unknown[] = []
  child.on('message', message => { held.push(message) })
  return {
    origin,
    pid: child.pid!,
    kill,
    async close () {
      child.send('close')
      const [code] = await ended
      return code
    },
    async held (count) {
      while (held.length < count) await once(child, 'message')
    },
    goOn: () => { child.send('go on') },
    async freeze () {
      child.kill('SIGSTOP')
      while (!await isStopped(child.pid!)) await soon()
    },
    wakeUp: () => { child.kill('SIGCONT') }
  }
}

async function isStopped (pid: number): Promise<boolean> {
  return /\) T /.test(await readFile(`/proc/${pid}/stat`, 'utf8'))
}
