interface Limits {
  /** Milliseconds in which a line is written once. */
  readonly interval: number
  /** Different lines within that time. */
  readonly max: number
}

/** Tells whether a line is to be logged that a client can cause as often as it likes. */
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
