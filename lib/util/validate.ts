import { InvalidOptionError } from '../errors.js'
import { isQuoted } from './text.js'
import { isHttpUrl } from './url.js'

type Predicate = (value: unknown) => boolean

/** The requirements for one value. */
export interface Rule {
  /** Follows the value's name in the error message. */
  readonly description: string
  readonly holds: Predicate
  /**
   * What to do if the value is missing.
   *
   * @default what it must be
   */
  readonly ifMissing?: string | undefined
}

type RulesOf<Value> = Rule | Rules<Value>

/** Rules for every property of an object. */
export type Rules<Options> = { readonly [Name in keyof Options]-?: RulesOf<NonNullable<Options[Name]>> }

export const rule = (description: string, holds: Predicate, ifMissing?: string): Rule =>
  ({ description, holds, ifMissing })

export const isString = (value: unknown): value is string => typeof value === 'string'
export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
export const isFunction: Predicate = value => typeof value === 'function'
/**
 * Rejects promises, lists, dates, bytes and the like: a promise that was not awaited has no properties, and would pass
 * for an empty object.
 */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  /^\[object (?:Object|Module)\]$/.test(Object.prototype.toString.call(value))
export const isNumber = (value: unknown): value is number => Number.isFinite(value)
export const stringThat = (holds: (value: string) => boolean): Predicate => value => isString(value) && holds(value)
export const numberFrom = (minimum: number, maximum = Infinity): Predicate => value =>
  isNumber(value) && value >= minimum && value <= maximum
export const integerFrom = (minimum: number, maximum = Infinity): Predicate => value =>
  Number.isInteger(value) && numberFrom(minimum, maximum)(value)
export const listOf = (holds: Predicate, { min = 0, max = Infinity } = {}): Predicate => value =>
  Array.isArray(value) && value.length >= min && value.length <= max && value.every(item => holds(item))
export const isOneOf = (...values: readonly unknown[]): Predicate => value => values.includes(value)
export const anyOf = (...predicates: readonly Predicate[]): Predicate => value => predicates.some(holds => holds(value))

export const MAX_TIMEOUT_MS = 2 ** 31 - 1
export const AnyObject = rule('must be an object', isObject)
export const TrueOrFalse = rule('must be true or false', isBoolean)
export const Milliseconds = rule('must be a whole number of milliseconds, at least 1', integerFrom(1, MAX_TIMEOUT_MS))
/** For what may last as long as the network or another program: less than this is meant as seconds. */
export const Timeout = rule(
  'must be a whole number of milliseconds, not of seconds: at least 100',
  integerFrom(100, MAX_TIMEOUT_MS)
)
export const AnyFunction = rule('must be a function', isFunction)
export const AnyString = rule('must be a string', isString)
export const NotBlank = rule('must be a string that is not blank', stringThat(value => value.trim() !== ''))
export const HttpUrl = rule('must be an absolute http(s) URL', stringThat(isHttpUrl))
export const Signal = rule('must be an AbortSignal', value => value instanceof AbortSignal)
export const objectWith = (...methods: string[]) =>
  rule(
    `must be an object with the methods ${methods.join(', ')}`,
    value =>
      (typeof value === 'object' || typeof value === 'function') && value !== null &&
      methods.every(name => typeof (value as Record<string, unknown>)[name] === 'function')
  )
/** The same rule for several names. */
export const each = <Name extends string>(rule: Rule, ...names: readonly Name[]) =>
  Object.fromEntries(names.map(name => [name, rule])) as Readonly<Record<Name, Rule>>
export const oneOf = (...values: string[]) =>
  rule(`must be ${values.map(value => `'${value}'`).join(' or ')}`, isOneOf(...values))

/** Rules for `SignalOptions`. */
export const requestRules = { signal: Signal }

interface Names {
  /** Precedes each name in an error message, such as `watermark.`, or `''`. */
  readonly path?: string
  /** Names, with their path, of the properties that must be set. All others may be `undefined`. */
  readonly required?: ReadonlySet<string>
}

/** Checks one value. Throws `InvalidOptionError` with its name and the rule. */
export function assertValue (name: string, value: unknown, { description, holds, ifMissing }: Rule): void {
  if (holds(value)) return
  if (value === undefined) throw new InvalidOptionError(name, `is missing: ${ifMissing ?? `it ${description}`}`)
  const quotes = isString(value) && isQuoted(value) ? '. Remove the quotation marks around the value' : ''
  throw new InvalidOptionError(name, description + quotes)
}

/**
 * Checks all properties of an object. Throws `InvalidOptionError` with the name of the first wrong one and its rule.
 */
export function assertOptions (rules: object, options: unknown, { path = '', required = new Set() }: Names = {}): void {
  if (!isObject(options)) {
    throw new InvalidOptionError(
      path.slice(0, -1) || 'options',
      `must be an object${exampleOf(rules)}, not ${kindOf(options)}`
    )
  }
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(rules, name)) throw unknownOption(name, rules, path)
  }
  for (const [name, rule] of Object.entries(rules)) {
    const value = options[name]
    if (value === undefined && !required.has(path + name)) continue
    if (isRule(rule)) {
      assertValue(path + name, value, rule)
    } else {
      assertOptions(rule, value, { path: `${path}${name}.`, required })
    }
  }
}

function exampleOf (rules: object): string {
  const names = Object.keys(rules)
  return names.length === 0 ? '' : ` such as { ${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''} }`
}

type Defined<Fields> =
  & { [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name] }
  & { [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined> }

/** An option that is `undefined` counts as not given. */
export function withoutUndefined<Fields extends object> (fields: Fields = {} as Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
}

/** The error for an unknown option. It lists those that there are. */
export function unknownOption (name: string, rules: object, path = ''): Error {
  const inGroup = nameInGroup(name, rules)
  const known = (inGroup ? [inGroup] : Object.keys(rules)).map(ours => path + ours).join(', ')
  return new InvalidOptionError(path + name, known === '' ? 'is unknown' : `is unknown: use ${known}`)
}

/**
 * Whether an unknown name is somebody else's: shared configurations have the options of several plugins. Hooks must not
 * be ignored, nor options outside of their group. A single word in a group, such as `headers`, is not even then ours.
 */
export function isForeign (name: string, rules: object): boolean {
  if (Object.hasOwn(rules, name)) return false
  const isOurs = /^on[A-Z]/.test(name) || (/[A-Z]/.test(name) && nameInGroup(name, rules) !== undefined)
  return !isOurs && !isTypo(name, Object.keys(rules))
}

/** Whether a name differs from one of the others in upper and lower case, or in one place by up to a third. */
export function isTypo (name: string, others: readonly string[]): boolean {
  return !others.includes(name) && others.some(other => {
    const [a, b] = [name.toLowerCase(), other.toLowerCase()]
    const start = [...b, ''].findIndex((letter, index) => letter !== a[index])
    const wrong = start + Math.floor(b.length / 3)
    return a === b || (start > 0 && a.slice(start).endsWith(b.slice(wrong)) && b.slice(start).endsWith(a.slice(wrong)))
  })
}

function nameInGroup (name: string, rules: object): string | undefined {
  const group = Object.entries(rules).find(([, inner]) =>
    !isRule(inner) && Object.hasOwn(inner, name)
  )
  return group && `${group[0]}.${name}`
}

/** What kind of value it is, in words, without the value itself: it may be a secret. */
export function kindOf (value: unknown): string {
  if (value === null || value === undefined) return String(value)
  const kind = typeof value === 'object' ? Object.prototype.toString.call(value).slice(8, -1) : typeof value
  if (kind === 'Promise') return 'a promise: await it'
  return `${/^[aeio]/i.test(kind) ? 'an' : 'a'} ${/^(?:Array|Object|Date)$/.test(kind) ? kind.toLowerCase() : kind}`
}

export function isRule (rules: object): rules is Rule {
  return typeof (rules as Partial<Rule>).description === 'string'
}
