import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { lstat, opendir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** A fileId never starts with a dot, so no temp file is ever taken for a stored one. */
const PREFIX = '.fastify-onlyoffice'
/** Ends the name of a note about an operation that has yet to be completed. */
export const NOTE = '~note'
const NAME = /^\.fastify-onlyoffice~([0-9a-f]{12})~(\d+)-(\d*)~[0-9a-f-]{36}(~note)?$/
const DAY_MS = 24 * 60 * 60 * 1000

interface Owner {
  readonly host: string
  readonly pid: string
  readonly started: string
}

let self: Owner | undefined

/** Names this process. */
export function processName (): string {
  const { host, pid, started } = thisProcess()
  return `${host}~${pid}-${started}`
}

/** Whether the process of this name ran on this host and has ended. */
export function hasEnded (name: string): boolean {
  const [, host, pid, started] = /^([0-9a-f]{12})~(\d+)-(\d*)$/.exec(name) ?? []
  return host !== undefined && pid !== undefined && started !== undefined && isEnded({ host, pid, started })
}

/** A fresh name that tells which process it belongs to. */
export function tempName (): string {
  return `${PREFIX}~${processName()}~${randomUUID()}`
}

/**
 * Removes what ended processes of this host left behind. Process ids of another host mean nothing here, so its temp
 * files are left alone until nothing was done to them for a day. What can't be removed hinders nobody and stays.
 * What a note says is done by `complete` before it is removed.
 */
export async function sweepTempFiles (directory: string, complete: (note: string) => Promise<void> = async () => {}): Promise<void> {
  for await (const { name } of await opendir(directory, { bufferSize: 256 })) {
    const [, host, pid, started, note] = NAME.exec(name) ?? []
    if (host === undefined || pid === undefined || started === undefined) continue
    const path = join(directory, name)
    if (!isEnded({ host, pid, started }) && !await isAbandoned(path)) continue
    const completed = note === undefined ? Promise.resolve() : complete(path)
    await completed.then(() => rm(path, { recursive: true, force: true })).catch(() => {})
  }
}

function isEnded ({ host, pid, started }: Owner): boolean {
  return host === thisProcess().host && (!isRunning(Number(pid)) || startOf(pid) !== started)
}

function isRunning (pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** By the time of the last change to the inode: a link to an old document is young, though its content is not. */
async function isAbandoned (path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined)
  return stats !== undefined && Date.now() - stats.ctimeMs > DAY_MS
}

function thisProcess (): Owner {
  self ??= { host: hostTag(), pid: String(process.pid), started: startOf('self') }
  return self
}

/** Containers may share a host name, even a directory, but not process ids: there the namespace is the host. */
function hostTag (): string {
  const namespace = orEmpty(() => readlinkSync('/proc/self/ns/pid'))
  return createHash('sha256').update(`${hostname()} ${namespace}`).digest('hex').slice(0, 12)
}

/** Tells a process from an earlier one that had its id. Field 22 of proc(5) `stat`; empty on systems without it. */
function startOf (pid: string): string {
  const stat = orEmpty(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

function orEmpty (read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
