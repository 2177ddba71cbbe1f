import { AsyncLocalStorage } from 'node:async_hooks'
import { existsSync, type PathLike } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'

/** Which calls to the file system fail. */
export interface DiskFault {
  /** The one with this number, counted from now. */
  readonly nth?: number
  /** It fails only after it has done its work, as at a file server whose answer got lost. */
  readonly isDone?: boolean
  /** All with this name. */
  readonly name?: string
}

export interface DiskCalls {
  fail (fault: DiskFault): void
  /** Nothing fails any more. Gives the name of the latest call that did. */
  heal (): string | undefined
  /**
   * Runs a task as if its process were killed before its Nth call: neither that call nor a later one ever ends.
   * Resolves to the name of that call, or to `undefined` when the task ends before.
   */
  kill (nth: number, task: () => Promise<unknown>): Promise<string | undefined>
}

interface Killed {
  left: number
  readonly at: (name: string) => void
}

type Call = (this: unknown, ...args: unknown[]) => unknown
type Calls = Record<string, Call>

const FUNCTIONS = ['chmod', 'link', 'lstat', 'mkdir', 'open', 'opendir', 'readFile', 'readdir', 'rename', 'rm', 'rmdir', 'stat', 'unlink', 'writeFile']
const METHODS = ['chmod', 'close', 'datasync', 'read', 'readFile', 'stat', 'sync', 'utimes', 'write', 'writeFile']
const CALLBACKS = ['close', 'fstat', 'fsync', 'open', 'read']
const SYNCHRONOUS = ['closeSync', 'fstatSync', 'openSync', 'statSync']
const GROWING: ReadonlySet<string> = new Set(['link', 'mkdir', 'open', 'rename', 'write', 'writeFile'])

/** Stands in front of the file system of this process: every module that has imported it goes through here. */
export async function interceptDiskCalls (): Promise<DiskCalls> {
  let fault: DiskFault = {}
  let count = 0
  let failed: string | undefined
  const tasks = new AsyncLocalStorage<Killed>()
  const results: unknown[] = []

  const require = createRequire(import.meta.url)
  const promises = require('node:fs/promises') as Calls
  const callbacks = require('node:fs') as Calls
  const handle = await promises.open!(import.meta.filename, 'r') as { close (): Promise<void> }
  const closeDescriptor = callbacks.closeSync!
  const methods = Object.getPrototypeOf(handle) as Calls
  await handle.close()

  for (const name of FUNCTIONS) promises[name] = failing(name, promises[name]!)
  for (const name of METHODS) methods[name] = failing(name, methods[name]!)
  callbacks.lstat = failingLstat(callbacks.lstat!)
  callbacks.lstatSync = failingLstatSync(callbacks.lstatSync!)
  for (const name of CALLBACKS) callbacks[name] = failingCallback(name, callbacks[name]!)
  for (const name of SYNCHRONOUS) callbacks[name] = failingSync(name, callbacks[name]!)
  syncBuiltinESMExports()

  return {
    fail (wanted) {
      fault = wanted
      count = 0
      failed = undefined
    },
    heal () {
      fault = {}
      return failed
    },
    kill: async (nth, task) => await new Promise((resolve, reject) => {
      tasks.run({ left: nth, at: resolve }, task).then(() => resolve(undefined), reject)
    })
  }

  /** Node warns of a file that is left open as soon as nothing refers to it. */
  function held <Result> (result: Result): Result {
    if (tasks.getStore() !== undefined) results.push(result)
    return result
  }

  function isKilled (name: string): boolean {
    const task = tasks.getStore()
    if (task === undefined || --task.left > 0) return false
    task.at(name)
    return true
  }

  function failing (name: string, call: Call): Call {
    return async function (...args) {
      if (isKilled(name)) return await new Promise(() => {})
      if (!isFailing(name)) return held(await call.apply(this, args))
      // A descriptor is closed whatever close(2) says.
      if (fault.isDone === true || name === 'close') await release(await call.apply(this, args))
      throw errorOf(name)
    }
  }

  /** A look-up tries the names of fifty formats side by side: only the call for the one that is there counts. */
  function failingLstat (call: Call): Call {
    return function (...args) {
      if (existsSync(args[0] as PathLike) && isKilled('lstat')) return
      if (!existsSync(args[0] as PathLike) || !isFailing('lstat')) return call.apply(this, args)
      setImmediate(args.at(-1) as (error: Error) => void, errorOf('lstat'))
    }
  }

  function failingLstatSync (call: Call): Call {
    return function (...args) {
      if (existsSync(args[0] as PathLike) && isFailing('lstat')) throw errorOf('lstat')
      return call.apply(this, args)
    }
  }

  function failingCallback (name: string, call: Call): Call {
    return function (...args) {
      if (isKilled(name)) return
      if (!isFailing(name)) return call.apply(this, args)
      const callback = args.at(-1) as (error: Error | null) => void
      // A descriptor is closed whatever close(2) says.
      if (fault.isDone !== true && name !== 'close') return setImmediate(callback, errorOf(name))
      call.call(this, ...args.slice(0, -1), (error: Error | null, result: unknown) => {
        if (error === null && name === 'open') closeDescriptor(result)
        callback(error ?? errorOf(name))
      })
    }
  }

  /**
   * None of these changes anything: a process that is killed before one is killed before the next call that is not
   * synchronous.
   */
  function failingSync (name: string, call: Call): Call {
    return function (...args) {
      if (!isFailing(name)) return call.apply(this, args)
      if (fault.isDone === true || name === 'closeSync') {
        const result = call.apply(this, args)
        if (name === 'openSync') closeDescriptor(result)
      }
      throw errorOf(name)
    }
  }

  function isFailing (name: string): boolean {
    if (fault.name !== name && ++count !== fault.nth) return false
    failed = name
    return true
  }
}

async function release (result: unknown): Promise<void> {
  await (result as { close? (): Promise<void> } | undefined)?.close?.()
}

function errorOf (name: string): Error {
  const code = GROWING.has(name) ? 'ENOSPC' : 'EIO'
  return Object.assign(new Error(`${code}: made to fail, ${name}`), { code, syscall: name })
}
