// Time and order: timers that a test holds (`holdTimers`), monotonic time that jumps, promises that a test resolves.

interface Scope {
  teardown (restore: () => void): void
}

export interface HeldTimers {
  /** Lets the time of those that are held, and of all later ones, pass. */
  pass (): void
  /** Holds later ones again. */
  hold (): void
}

/**
 * Stops the monotonic time, so that it does not pass on a busy machine, and returns what advances it. Timers go on.
 */
export function stoppedTime (scope: Scope): (milliseconds: number) => void {
  const stopped = performance.now()
  return movedTime(scope, () => stopped)
}

/**
 * Holds the timers of one length until the test lets their time pass, however long everything else takes on a busy
 * machine.
 */
export function holdTimers (scope: Scope, milliseconds: number): HeldTimers {
  const { setTimeout, clearTimeout } = globalThis
  const held = new Map<unknown, () => void>()
  let hasPassed = false
  scope.teardown(() => { Object.assign(globalThis, { setTimeout, clearTimeout }) })

  function setTimeoutUnlessHeld (callback: (...args: unknown[]) => void, delay?: number, ...args: unknown[]): NodeJS.Timeout {
    if (delay !== milliseconds) return setTimeout(callback, delay, ...args)
    if (hasPassed) return setTimeout(callback, 0, ...args)
    const timer = setTimeout(() => {}, 2 ** 31 - 1).unref()
    held.set(timer, () => callback(...args))
    return timer
  }

  function clearTimeoutHeld (timer: NodeJS.Timeout | undefined): void {
    held.delete(timer)
    clearTimeout(timer)
  }

  Object.assign(globalThis, { setTimeout: setTimeoutUnlessHeld, clearTimeout: clearTimeoutHeld })
  return {
    pass () {
      hasPassed = true
      for (const [timer, callback] of [...held]) {
        clearTimeoutHeld(timer as NodeJS.Timeout)
        callback()
      }
    },
    hold () { hasPassed = false }
  }
}

/** A promise with its ends in hand. */
export function deferred<Value = void> () {
  let resolve!: (value: Value) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<Value>((_resolve, _reject) => { resolve = _resolve; reject = _reject })
  return { promise, resolve, reject }
}

/** Returns what advances the monotonic time, by which locks measure how long their holder has not gone on. */
export function jumpingTime (scope: Scope): (milliseconds: number) => void {
  const elapsed = performance.now.bind(performance)
  return movedTime(scope, elapsed)
}

function movedTime (scope: Scope, from: () => number): (milliseconds: number) => void {
  const { now } = performance
  let moved = 0
  performance.now = () => from() + moved
  scope.teardown(() => { performance.now = now })
  return milliseconds => { moved += milliseconds }
}
