import { Session } from 'node:inspector/promises'

// Import this before what is counted: code that has run before has no counters. Only in a process of its own: it
// disturbs coverage.

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

/** How many blocks of the library's code have run since the last call. */
export async function takeSteps (): Promise<number> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ranges = result.filter(({ url }) => url.includes('/lib/')).flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
  return ranges.reduce((sum, { count }) => sum + count, 0)
}
