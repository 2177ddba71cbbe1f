interface Scope {
  teardown (restore: () => void): void
}

/**
 * Makes the system's time that of the clock. The emulated document server dates its tokens at most 50 s ahead of the system's
 * time: an application that shares its clock would reject them once a test has advanced it further.
 */
export function setSystemTime (scope: Scope, clock: { now (): number }): void {
  const systemNow = Date.now
  Date.now = () => clock.now()
  scope.teardown(() => { Date.now = systemNow })
}

/** Returns what advances the monotonic time, by which locks measure how long their holder has not gone on. */
export function skippableTime (scope: Scope): (milliseconds: number) => void {
  const elapsed = performance.now
  let skipped = 0
  performance.now = () => elapsed.call(performance) + skipped
  scope.teardown(() => { performance.now = elapsed })
  return milliseconds => { skipped += milliseconds }
}
