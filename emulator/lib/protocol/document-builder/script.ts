import type { Expression, MemberExpression, SpreadElement, Super } from 'acorn'
import type { Draft, DraftParagraph } from './drafts.js'
import { newDraft } from './drafts.js'
import { refused, ScriptError, statementsOf } from './syntax.js'

/** What a script does: it saves a document, as it was then. */
export interface SavedDraft {
  readonly draft: Draft
  readonly format: string
  readonly name: string
}

type Value = string | number | Thing | undefined

interface Thing {
  readonly methods?: Readonly<Record<string, (...given: Value[]) => Value>>
  readonly fields?: Readonly<Record<string, Value>>
}

/** In all texts that a script makes together. */
const MAX_CHARACTERS = 1_000_000
const MAX_FILES = 100
const MAX_DEPTH = 40

/**
 * Runs a script of the document builder and returns what it saves. Only some methods exist, which the README lists.
 * Throws a `ScriptError` for all others, and for everything that is no assignment or call.
 */
export async function runScript (script: string, argument: Readonly<Record<string, unknown>>): Promise<SavedDraft[]> {
  const saved: SavedDraft[] = []
  const counted = counter()
  let open: Draft | undefined

  function draft (fileType: Draft['fileType']): Draft {
    if (open?.fileType !== fileType) throw new ScriptError(`No ${fileType} is open`)
    return open
  }

  const builder: Thing = {
    methods: {
      CreateFile (type) {
        open = newDraft(type)
        if (open === undefined) throw new ScriptError(`A file of the type ${String(type)} can't be created`)
        return undefined
      },
      SaveFile (format, name) {
        if (open === undefined) throw new ScriptError('No file is open')
        if (saved.length >= MAX_FILES) throw new ScriptError(`More than ${MAX_FILES} files`)
        for (const content of [...open.paragraphs.map(paragraph => paragraph.text), ...open.cells.values()]) {
          counted(content)
        }
        saved.push({ draft: structuredClone(open), format: text(format), name: fileName(text(name)) })
        return undefined
      },
      CloseFile () {
        open = undefined
        return undefined
      },
      SetTmpFolder: () => undefined
    }
  }
  const api: Thing = {
    methods: {
      GetDocument: () => documentThing(draft('docx'), counted),
      CreateParagraph () {
        draft('docx')
        return paragraphThing({ text: '' }, counted)
      },
      GetActiveSheet: () => sheetThing(draft('xlsx'))
    }
  }
  const variables = new Map<string, Value>(
    Object.entries({ builder, Api: api, Argument: { fields: valuesOf(argument) } })
  )
  for (const { variable, value } of await statementsOf(script)) {
    const result = valueOf(value, variables, counted)
    if (variable !== undefined) variables.set(variable, result)
  }
  return saved
}

function valueOf (
  expression: Expression | SpreadElement | Super,
  variables: ReadonlyMap<string, Value>,
  counted: Counted,
  depth = 0
): Value {
  if (depth > MAX_DEPTH) throw new ScriptError('The script is nested too deeply')
  const valueIn = (part: Expression | SpreadElement | Super) => valueOf(part, variables, counted, depth + 1)
  switch (expression.type) {
    case 'Literal':
      if (typeof expression.value !== 'string' && typeof expression.value !== 'number') throw refused(expression)
      return expression.value
    case 'Identifier':
      if (!variables.has(expression.name)) throw new ScriptError(`${expression.name} is not known`)
      return variables.get(expression.name)
    case 'BinaryExpression': return counted(partsOf(expression).map(part => text(valueIn(part))).join(''))
    case 'MemberExpression': {
      const { fields = {} } = thing(valueIn(expression.object))
      const name = nameOf(expression)
      if (!Object.hasOwn(fields, name)) throw new ScriptError(`${name} is not known`)
      return fields[name]
    }
    case 'CallExpression': {
      const { callee, arguments: given } = expression
      if (callee.type !== 'MemberExpression') throw refused(callee)
      const { methods = {} } = thing(valueIn(callee.object))
      const name = nameOf(callee)
      const method = Object.hasOwn(methods, name) ? methods[name] : undefined
      if (method === undefined) throw new ScriptError(`The method ${name} is not known`)
      return method(...given.map(valueIn))
    }
    default: throw refused(expression)
  }
}

/** The parts of a sum. */
function partsOf (sum: Expression): Expression[] {
  const parts: Expression[] = []
  let left = sum
  while (left.type === 'BinaryExpression' && left.left.type !== 'PrivateIdentifier') {
    if (left.operator !== '+') throw new ScriptError(`${left.operator} is not understood`)
    parts.push(left.right)
    left = left.left
  }
  return [...parts, left].reverse()
}

function nameOf ({ property, computed }: MemberExpression): string {
  if (!computed && property.type === 'Identifier') return property.name
  if (property.type === 'Literal' && typeof property.value === 'string') return property.value
  throw new ScriptError('Only a string may be in brackets')
}

const paragraphs = new WeakMap<Thing, DraftParagraph>()

function paragraphThing (paragraph: DraftParagraph, counted: Counted): Thing {
  const self: Thing = {
    methods: {
      AddText (added) {
        paragraph.text += counted(text(added))
        return undefined
      }
    }
  }
  paragraphs.set(self, paragraph)
  return self
}

function documentThing (draft: Draft, counted: Counted): Thing {
  return {
    methods: {
      GetElement (index) {
        const paragraph = draft.paragraphs[Number(index)]
        if (paragraph === undefined) throw new ScriptError(`There is no element ${String(index)}`)
        return paragraphThing(paragraph, counted)
      },
      Push (element) {
        const paragraph = paragraphs.get(thing(element))
        if (paragraph === undefined) throw new ScriptError('Only a paragraph can be pushed')
        draft.paragraphs.push(paragraph)
        return undefined
      }
    }
  }
}

function sheetThing (draft: Draft): Thing {
  return {
    methods: {
      GetRange (name) {
        const cell = /^\$?([A-Z]{1,3})\$?([1-9]\d{0,5})$/.exec(text(name))
        if (cell === null) throw new ScriptError('Only a single cell can be set')
        return {
          methods: {
            SetValue (value) {
              draft.cells.set(`${cell[1]}${cell[2]}`, text(value))
              return undefined
            }
          }
        }
      }
    }
  }
}

/** The `argument` of a request, as the script reads it. */
function valuesOf (argument: Readonly<Record<string, unknown>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(argument).map((
      [name, value]
    ) => [name, typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value)])
  )
}

function thing (value: Value): Thing {
  if (typeof value !== 'object') throw new ScriptError(`${String(value)} has no methods`)
  return value
}

function text (value: Value): string {
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw new ScriptError('Only text and numbers can be used here')
  }
  return String(value)
}

/** Counts the characters of a text, which it returns. Throws a `ScriptError` when there are too many. */
type Counted = (text: string) => string

function counter (): Counted {
  let left = MAX_CHARACTERS
  return text => {
    left -= text.length
    if (left < 0) throw new ScriptError('The script makes too much text')
    return text
  }
}

/** Without folders. */
function fileName (path: string): string {
  const name = path.split(/[/\\]/).at(-1)!
  if (name === '' || name.startsWith('.') || name.length > 200) throw new ScriptError('The file has no usable name')
  return name
}
