import type { Expression, Program } from 'acorn'

const MAX_CHARACTERS = 1_000_000
const MAX_TOKENS = 200_000
const MAX_STATEMENTS = 10_000

/** The script uses something that the emulated document builder does not know. */
export class ScriptError extends Error {}

/** `value`, or `variable = value`. */
export interface Statement {
  readonly variable?: string
  readonly value: Expression
}

/** Reads a script: a sequence of assignments and calls. Throws a `ScriptError` for all other statements. */
export async function statementsOf (script: string): Promise<Statement[]> {
  if (script.length > MAX_CHARACTERS) throw new ScriptError('The script is too long')
  const { body } = await parsed(script)
  if (body.length > MAX_STATEMENTS) throw new ScriptError('The script has too many statements')
  return body.flatMap((statement): Statement[] => {
    switch (statement.type) {
      case 'EmptyStatement': return []
      case 'VariableDeclaration': {
        const [first, ...others] = statement.declarations
        if (first?.id.type !== 'Identifier' || !first.init || others.length > 0) throw refused(statement)
        return [{ variable: first.id.name, value: first.init }]
      }
      case 'ExpressionStatement': {
        const { expression } = statement
        if (expression.type !== 'AssignmentExpression') return [{ value: expression }]
        const { left, operator, right } = expression
        if (operator !== '=' || left.type !== 'Identifier') throw refused(expression)
        return [{ variable: left.name, value: right }]
      }
      default: throw refused(statement)
    }
  })
}

async function parsed (script: string): Promise<Program> {
  const { Parser } = await import('acorn')
  let tokens = 0
  const onToken = () => {
    if (++tokens > MAX_TOKENS) throw new ScriptError('The script is too long')
  }
  // Looking for names that are declared twice would take long.
  const parser = Parser.extend(Base => class extends Base { declareName () {} })
  try {
    return parser.parse(script, { ecmaVersion: 'latest', onToken })
  } catch (error) {
    throw error instanceof ScriptError ? error : new ScriptError((error as Error).message)
  }
}

export function refused ({ type }: { readonly type: string }): ScriptError {
  return new ScriptError(`${type} is not understood`)
}
