import { MAX_LENGTH, TOKEN } from './formulas.js'

/**
 * A formula as written to a file; `null` if it is invalid, because office suites reject the whole file for one formula
 * they can't read. Functions and cells may be typed in lower case.
 */
export function typedFormula (text: string): string | null {
  if (text.length > MAX_LENGTH) return null
  const formula = text.trim().replace(TOKEN, (token, ...rest) => {
    const { cells, columns, name } = rest.at(-1) as Record<string, string | undefined>
    return cells !== undefined || columns !== undefined || name?.endsWith('(') ? token.toUpperCase() : token
  })
  return isReadable(formula) ? formula : null
}

/** Checks that values and operators alternate and that brackets are closed. */
function isReadable (formula: string): boolean {
  const open: Array<'function' | 'bracket'> = []
  /** A value, or something that must be followed by one. */
  let last: 'start' | 'value' | 'reference' | 'sheet' = 'start'
  let isApart = false

  for (const { 0: token, groups = {} } of formula.matchAll(TOKEN)) {
    const { text, quoted, bracket, array, error, columns, rows, cells, number, name, colon, operator } = groups
    const hasValue: boolean = last === 'value' || last === 'reference'
    if (/\s/.test(token[0]!)) {
      isApart = true
      continue
    }
    if (operator !== undefined) {
      if (last === 'sheet' || (!hasValue && operator !== '-' && operator !== '+')) return false
      last = 'start'
    } else if (colon !== undefined) {
      if (last !== 'reference') return false
      last = 'start'
    } else if (token === '%') {
      if (!hasValue) return false
    } else if (token === ',') {
      if (open.length === 0 || last === 'sheet' || (open.at(-1) === 'bracket' && !hasValue)) return false
      last = 'start'
    } else if (token === ')') {
      const closed = open.pop()
      if (closed === undefined || last === 'sheet' || (closed === 'bracket' && !hasValue)) return false
      last = 'reference'
    } else if (bracket !== undefined) {
      if (last === 'value') return false
      last = hasValue ? 'reference' : 'sheet'
    } else {
      const isReference = [columns, rows, cells, name, quoted].some(part => part !== undefined)
      const isValue = isReference || token === '(' || [text, array, error, number].some(part => part !== undefined)
      // A blank between two references is an operator.
      const follows: boolean = !hasValue || (last === 'reference' && isReference && isApart)
      if (!isValue || !follows) return false
      if (token === '(' || name?.endsWith('(')) open.push(token === '(' ? 'bracket' : 'function')
      last = token.endsWith('(')
        ? 'start'
        : token.endsWith('!') && error === undefined
          ? 'sheet'
          : isReference
            ? 'reference'
            : 'value'
    }
    isApart = false
  }
  return open.length === 0 && (last === 'value' || last === 'reference')
}
