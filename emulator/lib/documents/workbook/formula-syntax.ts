import { MAX_LENGTH, TOKEN } from './formulas.js'

/**
 * A formula as it goes into a file; `null` for what is none: office suites refuse a whole file for one that they can't
 * read. Functions and cells may be typed in small letters.
 */
export function typedFormula (text: string): string | null {
  if (text.length > MAX_LENGTH) return null
  const formula = text.trim().replace(TOKEN, (token, ...rest) => {
    const { cells, columns, name } = rest.at(-1) as Record<string, string | undefined>
    return cells !== undefined || columns !== undefined || name?.endsWith('(') ? token.toUpperCase() : token
  })
  return isReadable(formula) ? formula : null
}

/** Values and what stands between them take turns, and brackets are closed. */
function isReadable (formula: string): boolean {
  const open: Array<'function' | 'bracket'> = []
  /** A value, or the beginning of something that needs one. */
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
      // Between two references, a blank is an operator.
      const follows: boolean = !hasValue || (last === 'reference' && isReference && isApart)
      if (!isValue || !follows) return false
      if (token === '(' || name?.endsWith('(')) open.push(token === '(' ? 'bracket' : 'function')
      last = token.endsWith('(') ? 'start' : token.endsWith('!') && error === undefined ? 'sheet' : isReference ? 'reference' : 'value'
    }
    isApart = false
  }
  return open.length === 0 && (last === 'value' || last === 'reference')
}
