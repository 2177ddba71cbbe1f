interface Limits {
  /** Milliseconds within which the same line is logged only once. */
  readonly interval: number
  /** Maximum number of different lines within that time. */
  readonly max: number
}

/** Decides whether to log a line that clients can cause as often as they like. */
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

interface CountingLimits {
  /** Milliseconds. */
  readonly interval: number
  /** Maximum number of lines of one kind within that time. */
  readonly max: number
  /** Maximum number of kinds. Further kinds count as one. */
  readonly maxKinds: number
}

interface Taken {
  readonly isDue: boolean
  /** Lines of this kind that were not due since the last due one. */
  readonly suppressed: number
}

/** Like `lineLimit`, but counts the lines that are not logged. */
export function createCountingLimit ({ interval, max, maxKinds }: CountingLimits): (kind: string) => Taken {
  const counts = new Map<string, { since: number, lines: number, suppressed: number }>()

  return given => {
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
