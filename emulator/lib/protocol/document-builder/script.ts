/** A call of a script to the document builder, with its strings. */
export interface BuilderCall {
  readonly method: string
  readonly given: readonly string[]
}

const MAX_CHARACTERS = 1_000_000
// Comments and strings are passed over: what is in them is no call.
const PIECE =
  /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|\bbuilder\.(\w{1,30})\(([^()\n]{0,2000})\)/g

/** The calls `builder.method("…")` of a script, in order. Everything else in it is passed over, and nothing is run. */
export function builderCalls (script: string): BuilderCall[] {
  if (script.length > MAX_CHARACTERS) return []
  return [...script.matchAll(PIECE)].flatMap(([, method, given = '']) =>
    method === undefined
      ? []
      : [{ method, given: [...given.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, one, other = '']) => one ?? other) }])
}
