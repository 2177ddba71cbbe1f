interface Limits {
  /** Milliseconds. */
  readonly interval: number
  /** Maximum number of lines within that time. */
  readonly max: number
}

/**
 * Decides whether to log a line that clients can cause as often as they like: the same line only once in the interval,
 * and at most `max` different ones.
 */
export function lineLimit ({ interval, max }: Limits): (line: string) => boolean {
  /** When each line was logged, oldest first. */
  const logged = new Map<string, number>()

  return line => {
    const now = performance.now()
    for (const [earlier, at] of logged) {
      if (now - at < interval) break
      logged.delete(earlier)
    }
    if (logged.has(line) || logged.size >= max) return false
    logged.set(line, now)
    return true
  }
}

/**
 * Decides whether to log one more line of a kind, of which at most `max` are logged in the interval, and counts those
 * that were not logged since the last one that was. More than `maxKinds` kinds count as one.
 */
export function createCountingLimit ({ interval, max, maxKinds }: Limits & { readonly maxKinds: number }) {
  const counts = new Map<string, { since: number, lines: number, suppressed: number }>()

  return (given: string) => {
    const kind = counts.has(given) || counts.size < maxKinds ? given : ''
    const now = performance.now()
    const count = counts.get(kind) ?? { since: now, lines: 0, suppressed: 0 }
    counts.set(kind, count)
    if (now - count.since >= interval) Object.assign(count, { since: now, lines: 0 })
    if (count.lines >= max) return { isDue: false, suppressed: ++count.suppressed }
    const { suppressed } = count
    count.lines++
    count.suppressed = 0
    return { isDue: true, suppressed }
  }
}
