import { InvalidOptionError } from './errors.js'

export type Predicate = (value: unknown) => boolean

/** What one value must be. */
export interface Rule {
  /** Follows the value's name in the error message. */
  readonly description: string
  readonly holds: Predicate
}

/** Rules for every item of a list. */
interface ListRules<Item> {
  readonly items: Rules<Item>
}

type RulesOf<Value> = Rule | (Value extends ReadonlyArray<infer Item> ? ListRules<Item> : Rules<Value>)

/** Rules for every property of an object. */
export type Rules<Options> = { readonly [Name in keyof Options]-?: RulesOf<NonNullable<Options[Name]>> }

export const rule = (description: string, holds: Predicate): Rule => ({ description, holds })

export const isString = (value: unknown): value is string => typeof value === 'string'
export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
export const isFunction: Predicate = value => typeof value === 'function'
export const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
export const isNumber = (value: unknown): value is number => Number.isFinite(value)
export const stringThat = (holds: (value: string) => boolean): Predicate => value => isString(value) && holds(value)
export const numberFrom = (minimum: number, maximum = Infinity): Predicate => value => isNumber(value) && value >= minimum && value <= maximum
export const integerFrom = (minimum: number, maximum = Infinity): Predicate => value => Number.isInteger(value) && numberFrom(minimum, maximum)(value)
export const listOf = (holds: Predicate, { min = 0, max = Infinity } = {}): Predicate =>
  value => Array.isArray(value) && value.length >= min && value.length <= max && value.every(item => holds(item))
export const isOneOf = (...values: readonly unknown[]): Predicate => value => values.includes(value)
export const anyOf = (...predicates: readonly Predicate[]): Predicate => value => predicates.some(holds => holds(value))

export const TrueOrFalse = rule('must be true or false', isBoolean)
export const Milliseconds = rule('must be a whole number of milliseconds, at least 1', integerFrom(1, 2 ** 31 - 1))
export const AnyFunction = rule('must be a function', isFunction)
export const objectWith = (...methods: string[]) => rule(`must be an object with the methods ${methods.join(', ')}`,
  value => (typeof value === 'object' || typeof value === 'function') && value !== null && methods.every(name => typeof (value as Record<string, unknown>)[name] === 'function'))
export const oneOf = (...values: string[]) => rule(`must be ${values.map(value => `'${value}'`).join(' or ')}`, isOneOf(...values))

interface Names {
  /** Precedes each name in an error message: `''`, or such as `watermark.`. */
  readonly path?: string
  /** Names, with their path, of what must not be missing. All other properties may be `undefined`. */
  readonly required?: ReadonlySet<string>
}

/** Checks all properties of an object. Throws `InvalidOptionError` with the name of the first wrong one and its rule. */
export function assertOptions (rules: object, options: unknown, { path = '', required = new Set() }: Names = {}): asserts options is Record<string, unknown> {
  if (!isObject(options)) throw new InvalidOptionError(path.slice(0, -1) || 'options', 'must be an object')
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(rules, name)) throw new InvalidOptionError(path + name, 'is unknown')
  }
  for (const [name, rule] of Object.entries(rules)) {
    const value = (options as Record<string, unknown>)[name]
    if (value === undefined && !required.has(path + name)) continue
    if (isRule(rule)) {
      if (!rule.holds(value)) throw new InvalidOptionError(path + name, rule.description)
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
