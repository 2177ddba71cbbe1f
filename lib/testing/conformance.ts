import { InvalidOptionError } from '../errors.js'
import { isFunction, isObject, type Rule } from '../util/validate.js'

/** Arguments of a conformance suite. */
export interface ConformanceOptions<Subject> {
  /** Returns a new and empty subject. Called once for each test. */
  readonly create: () => Subject | Promise<Subject>
  /** Registers a test with the test runner: `t.test` of tap, `test` of node:test or Vitest. */
  readonly test: (name: string, run: () => Promise<void>) => unknown
}

/** The requirements of a contract, and what tests them. */
export type Cases<Scene> = Readonly<Record<string, (scene: Scene) => Promise<void>>>

/** The member of a subject that is tested. */
interface Tested<Subject> {
  readonly name: keyof Subject & string
  readonly rule: Rule
}

/** @throws InvalidOptionError when one of them is not a function. */
export function assertConformanceOptions<Subject> (
  suite: string, options: ConformanceOptions<Subject>, { name }: Tested<Subject>
): void {
  const example = `as in ${suite}({ test, create: () => ({ ${name} }) })`
  if (!isObject(options)) throw new InvalidOptionError('options', `must be an object, ${example}`)
  if (!isFunction(options.create)) {
    throw new InvalidOptionError('create', `must be a function that returns an object with the ${name}, ${example}`)
  }
  if (!isFunction(options.test)) {
    throw new InvalidOptionError('test', `must be a test runner's function that registers a test, ${example}`)
  }
}

/** @throws InvalidOptionError when `create` returns something else. */
export async function createSubject<Subject extends object> (
  create: () => Subject | Promise<Subject>, { name, rule }: Tested<Subject>
): Promise<Subject> {
  const subject = await create()
  const example = `as in create: () => ({ ${name} })`
  if (rule.holds(subject)) {
    throw new InvalidOptionError('create', `must return an object with the ${name}, not the ${name} itself, ${example}`)
  }
  if (!isObject(subject)) throw new InvalidOptionError('create', `must return an object with the ${name}, ${example}`)
  if (!rule.holds(subject[name])) {
    throw new InvalidOptionError(
      'create',
      `must return an object with the ${name}, which ${rule.description}, ${example}`
    )
  }
  return subject
}
