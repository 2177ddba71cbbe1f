/**
 * A value in a script. It is computed from literals, variables and calls of known methods; nothing is evaluated as
 * code.
 */
export type Expression =
  | { readonly type: 'literal', readonly value: string | number }
  | { readonly type: 'name', readonly name: string }
  | { readonly type: 'call', readonly on: Expression, readonly method: string, readonly given: readonly Expression[] }
  | { readonly type: 'field', readonly on: Expression, readonly name: string }
  | { readonly type: 'sum', readonly parts: readonly Expression[] }

/** `value`, or `variable = value`. */
export interface Statement {
  readonly variable?: string
  readonly value: Expression
}

const MAX_CHARACTERS = 1_000_000
const MAX_STATEMENTS = 10_000
const MAX_DEPTH = 20

/** Space and comments, then a string, a number, a name or any other character. */
const TOKEN =
  /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*("(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'|\d+(?:\.\d+)?|[A-Za-z_$][\w$]*|[^\s]|$)/y

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
  '\n': ''
}

/** The script uses something that the emulated document builder does not know. */
export class ScriptError extends Error {}

/** Reads a script: a sequence of assignments and calls. Throws a `ScriptError` for everything else of JavaScript. */
export function statementsOf (script: string): Statement[] {
  if (script.length > MAX_CHARACTERS) throw new ScriptError('The script is too long')
  const tokens = tokensOf(script.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'))
  let at = 0

  const next = () => tokens[at] ?? ''
  function accept (token: string): boolean {
    if (next() !== token) return false
    at++
    return true
  }

  function expect (token: string): void {
    if (!accept(token)) throw new ScriptError(`Expected ${token}, not ${next() || 'the end'}`)
  }

  function name (): string {
    const token = next()
    if (!isName(token)) throw new ScriptError(`Expected a name, not ${token || 'the end'}`)
    at++
    return token
  }

  function statement (): Statement {
    const isDeclaration = ['var', 'let', 'const'].some(accept)
    if (isDeclaration || (isName(next()) && tokens[at + 1] === '=' && tokens[at + 2] !== '=')) {
      const variable = name()
      expect('=')
      return { variable, value: sum(0) }
    }
    return { value: sum(0) }
  }

  function sum (depth: number): Expression {
    if (depth > MAX_DEPTH) throw new ScriptError('The script is nested too deeply')
    const parts = [chain(depth)]
    while (accept('+')) parts.push(chain(depth))
    return parts.length === 1 ? parts[0]! : { type: 'sum', parts }
  }

  function chain (depth: number): Expression {
    let value = operand()
    for (let links = 0; links <= MAX_DEPTH; links++) {
      if (accept('.')) {
        const called = name()
        value = accept('(')
          ? { type: 'call', on: value, method: called, given: list(depth + 1) }
          : { type: 'field', on: value, name: called }
      } else if (accept('[')) {
        const token = next()
        if (!isString(token)) throw new ScriptError('Only a string may be in brackets')
        at++
        expect(']')
        value = { type: 'field', on: value, name: stringOf(token) }
      } else {
        return value
      }
    }
    throw new ScriptError('The script is nested too deeply')
  }

  function operand (): Expression {
    const token = next()
    if (isString(token) || /^\d/.test(token)) {
      at++
      return { type: 'literal', value: isString(token) ? stringOf(token) : Number(token) }
    }
    return { type: 'name', name: name() }
  }

  function list (depth: number): Expression[] {
    const values: Expression[] = []
    if (accept(')')) return values
    do values.push(sum(depth))
    while (accept(','))
    expect(')')
    return values
  }

  const statements: Statement[] = []
  while (next() !== '') {
    if (accept(';')) continue
    if (statements.length >= MAX_STATEMENTS) throw new ScriptError('The script has too many statements')
    statements.push(statement())
  }
  return statements
}

function tokensOf (script: string): string[] {
  const tokens: string[] = []
  for (TOKEN.lastIndex = 0; ;) {
    const [, token = ''] = TOKEN.exec(script) ?? []
    if (token === '') return tokens
    if (!isName(token) && !isString(token) && !/^[\d;=.,()[\]+]/.test(token)) {
      throw new ScriptError(`${token} is not understood`)
    }
    tokens.push(token)
  }
}

function isName (token: string): boolean {
  return /^[A-Za-z_$]/.test(token)
}

function isString (token: string): boolean {
  return token.length > 1 && /^["']/.test(token)
}

function stringOf (token: string): string {
  return token.slice(1, -1).replace(
    /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([^]))/g,
    (_whole, unit?: string, byte?: string, character?: string) =>
      character === undefined
        ? String.fromCharCode(Number.parseInt(unit ?? byte!, 16))
        : ESCAPES[character] ?? character
  )
}
