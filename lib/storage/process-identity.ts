import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** The PID namespace in which its id is valid, its id, and its start time in clock ticks since boot, if known. */
const NAME = /^(?<namespace>[0-9a-f]{12})~(?<pid>\d+)-(?<startTime>\d*)$/

let ownName: string | undefined

/** A name of this process that no other process has, although ids are reused: `0123456789ab~4711-123456`. */
export function processName (): string {
  ownName ??= `${namespaceTag()}~${process.pid}-${startTimeOf('self')}`
  return ownName
}

/** Whether the process with this name is known to have ended. */
export function hasEnded (name: string): boolean {
  const { pid = '', startTime } = NAME.exec(name)?.groups ?? {}
  if (!isInSameNamespace(name)) return false
  if (!isRunning(Number(pid))) return true
  const present = startTimeOf(pid)
  return present !== '' && startTime !== '' && present !== startTime // an unknown start time proves nothing
}

/**
 * Whether the process with this name runs or ran in the same PID namespace as this one. If not, it is unknown whether
 * it has ended.
 */
export function isInSameNamespace (name: string): boolean {
  return NAME.exec(name)?.groups?.namespace === NAME.exec(processName())?.groups?.namespace
}

function isRunning (pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/**
 * Identifies the PID namespace of a booted kernel. Host names do not identify it: containers may share one, and
 * machines cloned from one image may differ only in their boot id.
 */
function namespaceTag (): string {
  const boot = valueOrEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) || hostname()
  const namespace = valueOrEmpty(() => readlinkSync('/proc/self/ns/pid'))
  return createHash('sha256').update(`${boot} ${namespace}`).digest('hex').slice(0, 12)
}

/** Empty if it cannot be read, or if /proc belongs to another PID namespace. */
function startTimeOf (pid: string): string {
  return readStartTime('self') === readStartTime(String(process.pid)) ? readStartTime(pid) : ''
}

/** Field 22 of `/proc/<pid>/stat`. Source: proc(5). */
function readStartTime (pid: string): string {
  const stat = valueOrEmpty(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

function valueOrEmpty (read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
