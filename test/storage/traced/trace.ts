import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A call to the file system, as Node itself recorded it. */
export interface TracedCall {
  /** Of a synchronous one `lstatSync`; Node does not record its path. */
  readonly name: string
  readonly path: string
  readonly phase: 'begin' | 'end'
}

/**
 * Runs a script of this folder in a process of its own and gives the calls between its two marks; the synchronous ones
 * if wanted.
 */
export async function trace (script: string, directory: string, logDirectory: string, { withSync = false } = {}): Promise<TracedCall[]> {
  const log = join(logDirectory, `${script}.log`)
  await promisify(execFile)(process.execPath, [
    ...process.execArgv,
    '--trace-event-categories', `node.fs.async,node.fs_dir.async${withSync ? ',node.fs.sync' : ''}`,
    '--trace-event-file-pattern', log,
    join(import.meta.dirname, `${script}.ts`),
    directory
  ])
  const calls = (JSON.parse(await readFile(log, 'utf8')).traceEvents as TraceEvent[])
    .filter(event => ['b', 'e', 'B', 'E'].includes(event.ph))
    .map(({ name, ph, args }): TracedCall => ({
      name: name.replace(/^fs\.sync\.(.*)/, '$1Sync'),
      path: args.path ?? args.new_path ?? '',
      phase: ph.toLowerCase() === 'b' ? 'begin' : 'end'
    }))
  const marks = calls.flatMap((call, index) => call.path.endsWith(MARK) ? [index] : [])
  if (marks.length !== 2) throw new Error(`${marks.length} marks in the trace of ${script}`)
  return calls.slice(marks[0]! + 2, marks[1]) // without the begin and the end of the first mark
}

/** A path whose opening marks a place in the trace. */
export const MARK = 'mark-in-the-trace'

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly args: { readonly path?: string, readonly new_path?: string }
}
