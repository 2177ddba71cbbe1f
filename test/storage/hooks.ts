import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import type { Test } from 'tap'

type Name = 'link' | 'open' | 'opendir' | 'rename' | 'unlink'
type Call = (path: string, ...rest: unknown[]) => Promise<unknown>

export interface Hook {
  /** What this process calls. */
  readonly name: Name
  /** Which of these calls is meant. */
  readonly isMeant: (path: string, ...rest: unknown[]) => boolean
  /** Runs instead of the call and may make it. */
  readonly instead: (call: () => Promise<unknown>) => Promise<unknown>
}

/** Stands in front of the file system of this process until the first call that is meant. */
export function hook (t: Test, { name, isMeant, instead }: Hook): void {
  const calls = fs as unknown as Record<Name, Call>
  const call = calls[name]
  const restore = () => {
    calls[name] = call
    syncBuiltinESMExports()
  }
  t.teardown(restore)
  calls[name] = async (...args) => {
    if (!isMeant(...args)) return await call(...args)
    restore()
    return await instead(async () => await call(...args))
  }
  syncBuiltinESMExports()
}

export function ioError (): Error {
  return Object.assign(new Error('EIO: made to fail'), { code: 'EIO' })
}
