interface Scope {
  teardown (restore: () => void): void
}

/** Returns what advances the monotonic time, by which locks measure how long their holder has not gone on. */
export function jumpingTime (scope: Scope): (milliseconds: number) => void {
  const elapsed = performance.now
  let jumped = 0
  performance.now = () => elapsed.call(performance) + jumped
  scope.teardown(() => { performance.now = elapsed })
  return milliseconds => { jumped += milliseconds }
}
