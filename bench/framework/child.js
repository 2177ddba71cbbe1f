// The side of a child process: it answers the calls of `startProgram`.
import { readFileSync } from 'node:fs'

/**
 * Answers calls until the parent stops it.
 * @param {Record<string, (argument: any) => unknown>} methods by name; `start` is called first
 */
export function answerCalls (methods) {
  /** @type {Record<string, (argument: any) => unknown>} */
  const known = { usage, ...methods }
  process.on(
    'message',
    async (/** @type {{ id: number, method: string, argument: unknown }} */ { id, method, argument }) => {
      try {
        process.send?.({ id, result: await known[method]?.(argument) })
      } catch (error) {
        process.send?.({ id, error: /** @type {Error} */ (error).stack })
      }
    }
  )
  process.on('disconnect', () => process.exit())
  process.send?.({ id: 0 })
}

/** CPU seconds since the start; resident memory in MB, now and at its peak. */
function usage () {
  const { user, system } = process.cpuUsage()
  return { cpu: (user + system) / 1e6, rss: process.memoryUsage.rss() / 1e6, peakRss: peakRss() * 1024 / 1e6 }
}

/** In KiB. On Linux `maxRSS` begins with that of the parent process. */
function peakRss () {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS
  return Number(readFileSync('/proc/self/status', 'utf8').match(/VmHWM:\s+(\d+)/)?.[1])
}
