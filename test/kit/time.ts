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
