interface Scope {
  teardown (restore: () => void): void
}

/** Returns what advances the monotonic time, by which locks measure how long their holder has not gone on. */
export function skippableTime (scope: Scope): (milliseconds: number) => void {
  const elapsed = performance.now
  let skipped = 0
  performance.now = () => elapsed.call(performance) + skipped
  scope.teardown(() => { performance.now = elapsed })
  return milliseconds => { skipped += milliseconds }
}
