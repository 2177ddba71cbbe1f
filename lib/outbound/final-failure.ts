const finalFailures = new WeakSet<Error>()

/** Marks the error of something that stays as it is however often it is tried. */
export function finalFailure<Failure extends Error> (error: Failure): Failure {
  finalFailures.add(error)
  return error
}

export function isFinalFailure (error: Error): boolean {
  return finalFailures.has(error)
}
