import { Type, type TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { InvalidOptionError } from './errors.js'

/** What one value must be. */
export interface Rule {
  /** Follows the value's name in the error message. */
  readonly description: string
  readonly schema: TSchema
}

/** Rules for every item of a list. */
interface ListRules<Item> {
  readonly items: Rules<Item>
}

type RulesOf<Value> = Rule | (Value extends ReadonlyArray<infer Item> ? ListRules<Item> : Rules<Value>)

/** Rules for every property of an object. */
export type Rules<Options> = { readonly [Name in keyof Options]-?: RulesOf<NonNullable<Options[Name]>> }

export const rule = (description: string, schema: TSchema): Rule => ({ description, schema })
export const stringThat = (holds: (value: string) => boolean) => Type.Refine(Type.String(), holds)
export const TrueOrFalse = rule('must be true or false', Type.Boolean())
export const Milliseconds = rule('must be a whole number of milliseconds, at least 1', Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }))
export const AnyFunction = rule('must be a function', Type.Refine(Type.Unknown(), value => typeof value === 'function'))
export const oneOf = (...values: string[]) => rule(`must be ${values.map(value => `'${value}'`).join(' or ')}`, Type.Union(values.map(value => Type.Literal(value))))

interface Names {
  /** Precedes each name in an error message: `''`, or such as `watermark.`. */
  readonly path?: string
  /** Names, with their path, of what must not be missing. All other properties may be `undefined`. */
  readonly required?: ReadonlySet<string>
}

/** Checks all properties of an object. Throws `InvalidOptionError` with the name of the first wrong one and its rule. */
export function assertOptions (rules: object, options: unknown, { path = '', required = new Set() }: Names = {}): asserts options is Record<string, unknown> {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) throw new InvalidOptionError(path.slice(0, -1) || 'options', 'must be an object')
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(rules, name)) throw new InvalidOptionError(path + name, 'is unknown')
  }
  for (const [name, rule] of Object.entries(rules)) {
    const value = (options as Record<string, unknown>)[name]
    if (value === undefined && !required.has(path + name)) continue
    if (isRule(rule)) {
      if (!Check(rule.schema, value)) throw new InvalidOptionError(path + name, rule.description)
    } else if (isListRules(rule)) {
      assertItems(rule, value, { path: path + name, required })
    } else {
      assertOptions(rule, value, { path: `${path}${name}.`, required })
    }
  }
}

function assertItems ({ items }: ListRules<unknown>, list: unknown, { path, required }: Required<Names>): void {
  if (!Array.isArray(list)) throw new InvalidOptionError(path, 'must be a list')
  for (const [index, item] of list.entries()) assertOptions(items, item, { path: `${path}[${index}].`, required })
}

function isRule (rules: object): rules is Rule {
  return typeof (rules as Partial<Rule>).description === 'string'
}

function isListRules (rules: object): rules is ListRules<unknown> {
  return Object.hasOwn(rules, 'items')
}
