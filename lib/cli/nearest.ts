/** The candidate that a name was probably meant to be: the most similar one, if it is similar at all. */
export function nearest (name: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map(candidate => ({ candidate, distance: name.length > 3 && candidate.includes(name.replace(/^-+/, '')) ? 1 : distanceOf(name, candidate) }))
    .sort((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best && best.distance <= Math.max(2, best.candidate.length / 2) ? best.candidate : undefined
}

/** How many characters have to be inserted, deleted or replaced to make one text of the other (Levenshtein). */
function distanceOf (a: string, b: string): number {
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
