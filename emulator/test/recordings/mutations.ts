import { isCall, isRequest, type Json, type JsonObject, type Recording, type Step } from './recording.js'

export interface Mutation {
  readonly name: string
  /** What the differences must name. */
  readonly place: string
  readonly recording: Recording
}

/** Every way in which one thing of one request or answer of a recording can be another. */
export function * mutations (recording: Recording): Generator<Mutation> {
  for (const [index, step] of recording.steps.entries()) {
    for (const field of comparedFields(step)) {
      const parts = ['steps', index, ...field]
      const order = field.includes('headers') ? 'any' : 'kept'
      for (const [name, changed] of changes(valueAt(recording, parts), order)) {
        const mutated = replaced(recording as unknown as Json, parts, changed) as unknown as Recording
        yield { name: `${recording.name}, step ${index + 1} ${field.join(' › ')}: ${name}`, place: placeOf(step), recording: mutated }
      }
    }
  }
}

function comparedFields (step: Step): string[][] {
  if (isRequest(step)) return Object.keys(step).filter(name => !['kind', 'at', 'answer'].includes(name)).map(name => [name])
  return isCall(step) ? [['answer', 'status'], ['answer', 'headers'], ['answer', 'body']] : []
}

function placeOf (step: Step): string {
  return isCall(step) ? `answer to ${step.request.method} ${step.request.path.split('?')[0]!}` : (step as { path: string }).path
}

type Change = readonly [name: string, value: Json]

/** The value with one thing changed, anywhere in it. */
export function * changes (value: Json, order: 'any' | 'kept' = 'kept'): Generator<Change> {
  if (Array.isArray(value)) {
    yield ['one more', [...value, value[0] ?? 'extra']]
    if (value.length > 0) yield ['one less', value.slice(1)]
    for (const [index, item] of value.entries()) yield * inside(String(index), changes(item, order), changed => value.with(index, changed))
  } else if (typeof value === 'object' && value !== null) {
    yield * ofFields(value, order)
  } else {
    yield * ofLeaf(value)
  }
}

function * ofFields (value: JsonObject, order: 'any' | 'kept'): Generator<Change> {
  const fields = Object.entries(value)
  yield ['another field', { ...value, extra: 'x' }]
  if (fields.length > 1 && order === 'kept') yield ['another order', Object.fromEntries(fields.toReversed())]
  for (const [name, item] of fields) {
    yield [`without ${name}`, Object.fromEntries(fields.filter(([other]) => other !== name))]
    yield * inside(name, changes(item, order), changed => ({ ...value, [name]: changed }))
  }
}

function * inside (name: string, changed: Iterable<Change>, put: (value: Json) => Json): Generator<Change> {
  for (const [what, value] of changed) yield [`${name} › ${what}`, put(value)]
}

function * ofLeaf (value: string | number | boolean | null): Generator<Change> {
  switch (typeof value) {
    case 'string': {
      yield ['another text', `${value}x`]
      const later = value.replace(/(expires=)(\d{10})|\d{4}-\d\d-\d\d.\d\d:\d\d:\d\d/g, fiveSecondsLater)
      if (later !== value) yield ['another time', later]
      break
    }
    case 'number': yield ['another number', value + 7]; break
    case 'boolean': yield ['the opposite', !value]; break
    default: yield ['not null', 0]
  }
}

function fiveSecondsLater (time: string, name?: string, seconds?: string): string {
  if (name !== undefined) return `${name}${Number(seconds) + 5}`
  return new Date(Date.parse(`${time.replace(' ', 'T')}Z`) + 5000).toISOString().slice(0, 19).replace('T', time[10]!)
}

type Path = ReadonlyArray<string | number>

function valueAt (value: unknown, [name, ...rest]: Path): Json {
  return name === undefined ? value as Json : valueAt((value as Record<string, unknown>)[name], rest)
}

function replaced (value: Json, [name, ...rest]: Path, changed: Json): Json {
  if (name === undefined) return changed
  if (Array.isArray(value)) return value.with(Number(name), replaced(value[Number(name)]!, rest, changed))
  const fields = value as JsonObject
  return { ...fields, [name]: replaced(fields[name]!, rest, changed) }
}
