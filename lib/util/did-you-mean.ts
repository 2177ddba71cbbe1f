/** The candidate that a name was probably meant to be: the most similar one, if it is similar at all. */
export function nearest (name: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map(candidate => ({ candidate, distance: distanceOf(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  return best && best.distance <= Math.max(name.length > 3 ? 2 : 1, best.candidate.length / 3)
    ? best.candidate
    : undefined
}

/**
 * The candidate that a name is a misspelling of: a few letters are wrong, or upper and lower case. Stricter than
 * `nearest`.
 */
export function misspelt (name: string, candidates: readonly string[]): string | undefined {
  if (candidates.includes(name)) return undefined
  return candidates.find(candidate => editsBetween(name.toLowerCase(), candidate.toLowerCase()) <= candidate.length / 4)
}

/** Names that contain each other are similar: `secret` and `--jwt-secret-env`, `language` and `lang`. */
function distanceOf (name: string, candidate: string): number {
  if (name.length > 3 && candidate !== name && candidate.includes(name.replace(/^-+/, ''))) return 1
  if (candidate.length > 3 && candidate !== name && name.includes(candidate)) return 2
  return editsBetween(name, candidate)
}

/**
 * The number of characters that have to be inserted, deleted or replaced to turn one text into the other (Levenshtein).
 */
function editsBetween (a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [line, character] of [...a].entries()) {
    const next = [line + 1]
    for (let column = 1; column <= b.length; column++) {
      const replaced = row[column - 1]! + (b[column - 1] === character ? 0 : 1)
      next.push(Math.min(replaced, row[column]! + 1, next[column - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
