import type { Test } from 'tap'
import type { Clock } from 'onlyoffice-emulator'

/** The service lives in the same time as the document server; how long it waits for others, a test can shorten. */
export function mockedTime (t: Test, clock: Clock): { skip (milliseconds: number): void } {
  const [systemNow, systemElapsed] = [Date.now, performance.now]
  let skipped = 0
  Date.now = () => clock.now()
  performance.now = () => systemElapsed.call(performance) + skipped
  t.teardown(() => {
    Date.now = systemNow
    performance.now = systemElapsed
  })
  return { skip (milliseconds) { skipped += milliseconds } }
}
