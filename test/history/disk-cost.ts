import { createRequire, syncBuiltinESMExports } from 'node:module'
import type { Test } from 'tap'

export interface DiskCost {
  /** Calls to the file system. */
  calls: number
  /** What was read and written, the names in listed directories included. */
  bytes: number
}

type Call = (this: unknown, ...args: unknown[]) => Promise<unknown>
type Calls = Record<string, Call>

const FUNCTIONS = ['link', 'lstat', 'mkdir', 'open', 'readFile', 'readdir', 'rename', 'rmdir', 'stat', 'unlink', 'writeFile']
const METHODS = ['close', 'read', 'readFile', 'stat', 'sync', 'utimes', 'write', 'writeFile']

/** Counts the calls of this process that concern such paths, until the end of the test. */
export async function diskCost (t: Test, isMeant: (path: string) => boolean): Promise<DiskCost> {
  const cost: DiskCost = { calls: 0, bytes: 0 }
  const require = createRequire(import.meta.url)
  const promises = require('node:fs/promises') as Calls
  const handle = await promises.open!(import.meta.filename, 'r') as { close (): Promise<void> }
  const methods = Object.getPrototypeOf(handle) as Calls
  await handle.close()
  const meant = new WeakSet<object>()

  const counted = (name: string, call: Call, concerns: (self: unknown, args: readonly unknown[]) => boolean): Call => async function (...args) {
    const result = await call.apply(this, args)
    if (!concerns(this, args)) return result
    cost.calls++
    if (name === 'open') meant.add(result as object)
    else if (name === 'write' || name === 'writeFile') cost.bytes += lengthOf(args[name === 'writeFile' && this === undefined ? 1 : 0])
    else if (name === 'readFile') cost.bytes += lengthOf(result)
    else if (name === 'read') cost.bytes += (result as { bytesRead: number }).bytesRead
    else if (name === 'readdir') cost.bytes += (result as string[]).reduce((sum, entry) => sum + entry.length, 0)
    return result
  }
  const replace = (target: Calls, names: readonly string[], concerns: (self: unknown, args: readonly unknown[]) => boolean) => {
    const originals = names.map(name => [name, target[name]!] as const)
    for (const [name, call] of originals) target[name] = counted(name, call, concerns)
    t.teardown(() => {
      for (const [name, call] of originals) target[name] = call
      syncBuiltinESMExports()
    })
  }
  replace(promises, FUNCTIONS, (_self, args) => args.some(path => typeof path === 'string' && isMeant(path)))
  replace(methods, METHODS, self => meant.has(self as object))
  syncBuiltinESMExports()
  return cost
}

function lengthOf (data: unknown): number {
  if (typeof data === 'string') return Buffer.byteLength(data)
  return data instanceof Uint8Array ? data.byteLength : 0
}
