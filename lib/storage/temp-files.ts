import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { lstat, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** A fileId never starts with a dot, so no temp file is ever taken for a stored one. */
const PREFIX = '.fastify-onlyoffice'
/** Ends the second name of a file that a temp file is about to replace. */
const PREVIOUS = '~previous'

const NAME = /^\.fastify-onlyoffice~(?<host>[0-9a-f]{12})~(?<pid>\d+)-(?<started>\d*)~[0-9a-f-]{36}(~previous)?$/

/**
 * A temp file is written to at least as often as a download may pause. That of a living process that is removed all the same
 * is fetched again: without it nothing can be published.
 */
const ABANDONED_AFTER_MS = 120_000

/** Where process ids mean something, and one that had this id and was started then. */
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
  const owner = ownerIn(`${PREFIX}~${name}~${'0'.repeat(36)}`)
  return owner !== undefined && isEnded(owner)
}

/** A fresh name that tells which process it belongs to. */
export function tempName (): string {
  return `${PREFIX}~${processName()}~${randomUUID()}`
}

/** The second name of what is replaced by the temp file of this name. */
export function previousOf (temp: string): string {
  return temp + PREVIOUS
}

export function isTempName (name: string): boolean {
  return NAME.test(name)
}

/**
 * Of these names of a directory, removes what ended processes left behind. Whether one has ended is known where its id means something: of another
 * container or machine when nothing was written for two minutes. `now` is the time of the file system, whose clock may be
 * another machine's. What can't be removed hinders nobody and stays.
 */
export async function sweepTempFiles (directory: string, names: Iterable<string>, now: number): Promise<void> {
  for (const name of names) {
    const owner = ownerIn(name)
    if (owner === undefined) continue
    const path = join(directory, name)
    if (isEnded(owner) || (owner.host !== thisProcess().host && await isAbandoned(path, now))) await rm(path, { recursive: true, force: true }).catch(() => {})
  }
}

function ownerIn (name: string): Owner | undefined {
  return NAME.exec(name)?.groups as Owner | undefined
}

function isEnded ({ host, pid, started }: Owner): boolean {
  if (host !== thisProcess().host) return false
  if (!isRunning(Number(pid))) return true
  const running = startOf(pid)
  return running !== '' && started !== '' && running !== started // /proc may hide the processes of others: who can't be seen is alive
}

function isRunning (pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** By the time of the last change to the inode: a link to an old document is young, though its content is not. */
async function isAbandoned (path: string, now: number): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined)
  return stats !== undefined && now - stats.ctimeMs > ABANDONED_AFTER_MS
}

function thisProcess (): Owner {
  self ??= { host: hostTag(), pid: String(process.pid), started: startOf('self') }
  return self
}

/**
 * Process ids mean something in one namespace of one running kernel. Containers may share a host name, machines made from one
 * image have the same names and numbers of everything but the boot id.
 */
function hostTag (): string {
  const boot = orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) || hostname()
  const namespace = orEmpty(() => readlinkSync('/proc/self/ns/pid'))
  return createHash('sha256').update(`${boot} ${namespace}`).digest('hex').slice(0, 12)
}

/** Tells a process from an earlier one that had its id. Empty where that can't be read: /proc may show other processes than ours. */
function startOf (pid: string): string {
  return startIn('self') === startIn(String(process.pid)) ? startIn(pid) : ''
}

/** Field 22 of proc(5) `stat`. */
function startIn (pid: string): string {
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
