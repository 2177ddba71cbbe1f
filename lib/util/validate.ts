import { InvalidOptionError } from '../errors.js'

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

/** Rules for every item of a list. */
interface ListRules<Item> {
  readonly items: Rules<Item>
}

type RulesOf<Value> = Rule | (Value extends ReadonlyArray<infer Item> ? ListRules<Item> : Rules<Value>)

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
const MIN_TIMEOUT_MS = 100
export const Timeout = rule(
  `must be a whole number of milliseconds, not of seconds: at least ${MIN_TIMEOUT_MS}`,
  integerFrom(MIN_TIMEOUT_MS, MAX_TIMEOUT_MS)
)
export const AnyFunction = rule('must be a function', isFunction)
export const AnyString = rule('must be a string', isString)
export const NotBlank = rule('must be a string that is not blank', stringThat(value => value.trim() !== ''))
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

/** Rules for `RequestOptions`. */
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
  throw new InvalidOptionError(
    name,
    value === undefined ? `is missing: ${ifMissing ?? `it ${description}`}` : description
  )
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
    } else if (isListRules(rule)) {
      assertItems(rule, value, { path: path + name, required })
    } else {
      assertOptions(rule, value, { path: `${path}${name}.`, required })
    }
  }
}

const MAX_EXAMPLES = 3
/** A longer list would fill a log. */
const MAX_LISTED = 12

function exampleOf (rules: object): string {
  const names = Object.keys(rules)
  return names.length === 0
    ? ''
    : ` such as { ${names.slice(0, MAX_EXAMPLES).join(', ')}${names.length > MAX_EXAMPLES ? ', …' : ''} }`
}

type Defined<Fields> =
  & { [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name] }
  & { [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined> }

/** An option that is `undefined` counts as not given. */
export function withoutUndefined<Fields extends object> (fields: Fields = {} as Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
}

/** The error for an unknown option. It names the option that was probably meant. */
export function unknownOption (name: string, rules: object, path = ''): Error {
  const names = Object.keys(rules)
  const meant = meantBy(name, rules)
  if (meant !== undefined) return new InvalidOptionError(path + name, `is unknown: did you mean ${path}${meant}?`)
  return new InvalidOptionError(
    path + name,
    names.length > 0 && names.length <= MAX_LISTED ? `is unknown: use ${names.join(', ')}` : 'is unknown'
  )
}

/**
 * Whether a name that is none of the rules' is rather somebody else's than a misspelling: shared configurations have
 * the options of several plugins. A single word in a group, such as `headers`, is not even then ours.
 */
export function isForeign (name: string, rules: object): boolean {
  if (Object.hasOwn(rules, name)) return false
  if (/^on[A-Z]/.test(name) || (/[A-Z]/.test(name) && nameInGroup(name, rules))) return !meantBy(name, rules)
  return !Object.keys(rules).some(ours => editsBetween(name.toLowerCase(), ours.toLowerCase()) < ours.length / 3)
}

function meantBy (name: string, rules: object): string | undefined {
  // onConflict is policies.conflict: only hooks begin with `on`
  const withoutOn = name.replace(/^on[A-Z]/, start => start.slice(2).toLowerCase())
  return nameInGroup(name, rules) ?? nearest(name, Object.keys(rules)) ?? nameInGroup(withoutOn, rules)
}

function nameInGroup (name: string, rules: object): string | undefined {
  const group = Object.entries(rules).find(([, inner]) =>
    !isRule(inner) && !isListRules(inner) && Object.hasOwn(inner, name)
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

function assertItems ({ items }: ListRules<unknown>, list: unknown, { path, required }: Required<Names>): void {
  if (!Array.isArray(list)) throw new InvalidOptionError(path, 'must be a list')
  for (const [index, item] of list.entries()) assertOptions(items, item, { path: `${path}[${index}].`, required })
}

export function isRule (rules: object): rules is Rule {
  return typeof (rules as Partial<Rule>).description === 'string'
}

function isListRules (rules: object): rules is ListRules<unknown> {
  return Object.hasOwn(rules, 'items')
}

/** The candidate that a name was probably meant to be: the most similar one, if it is similar at all. */
export function nearest (name: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map(candidate => ({ candidate, distance: distanceOf(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  return best && best.distance <= Math.max(name.length > 3 ? 2 : 1, best.candidate.length / 3)
    ? best.candidate
    : undefined
}

/**
 * The candidate that a name is a misspelling of: a few letters are wrong, or upper and lower case. Stricter than
 * `nearest`.
 */
export function misspelt (name: string, candidates: readonly string[]): string | undefined {
  if (candidates.includes(name)) return undefined
  return candidates.find(candidate => editsBetween(name.toLowerCase(), candidate.toLowerCase()) <= candidate.length / 4)
}

/** Names that contain each other are similar: `secret` and `jwtSecret`, `language` and `lang`. */
function distanceOf (name: string, candidate: string): number {
  if (name.length > 3 && candidate !== name && candidate.includes(name.replace(/^-+/, ''))) return 1
  if (candidate.length > 3 && candidate !== name && name.includes(candidate)) return 2
  return editsBetween(name, candidate)
}

/**
 * The number of characters that have to be inserted, deleted or replaced to turn one text into the other (Levenshtein).
 */
function editsBetween (a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [line, character] of [...a].entries()) {
    const next = [line + 1]
    for (let column = 1; column <= b.length; column++) {
      const replaced = row[column - 1]! + (b[column - 1] === character ? 0 : 1)
      next.push(Math.min(replaced, row[column]! + 1, next[column - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
