import type { EditorServer } from '../../types/document-server.js'
import type { SignedData, SignedMethods } from '../../types/signed-data.js'
import { isCommandName } from '../document-server/commands.js'
import type { TokenSigner } from '../document-server/token.js'
import { InvalidOptionError } from '../errors.js'
import { isJsonObject, type JsonObject, parseJson } from '../util/text.js'
import { anyOf, HttpUrl as url, isRule, type Rule, rule, stringThat } from '../util/validate.js'

/** A list stands for one or more elements of its shape. */
type Shape = Rule | readonly [Shape] | { readonly [field: string]: Shape }

const isNotEmpty = stringThat(value => value !== '')
const text = rule('must be a string that is not empty', isNotEmpty)
const version = rule(
  'must be an integer other than 0, or text such as \'1.2\'',
  anyOf(value => Number.isInteger(value) && value !== 0, isNotEmpty)
)

const DATE = 'must be absent: a dated token would pass for one of the document server'

/** Claims that the data must not have. */
const forbidden: Readonly<Record<string, string>> = {
  token: 'must be absent: it is what sign() adds',
  exp: DATE,
  iat: DATE,
  nbf: DATE,
  payload: 'must be absent: pass the fields themselves'
}

const file = { fileType: text, url }
const chosenFile = { c: text, ...file }
const reference = { path: text, url }

/** The fields that a method needs. Source: emulator/docs/document-server-protocol.md#events-and-what-answers-them */
const shapes: Readonly<Record<keyof SignedMethods, (data: JsonObject) => Shape>> = {
  setHistoryData: ({ changesUrl, previous }) => ({
    version,
    key: text,
    url,
    ...(changesUrl !== undefined && { changesUrl: url }),
    ...((changesUrl !== undefined || previous !== undefined) && { previous: { key: text, url } })
  }),
  insertImage: () => ({ c: text, images: [file] }),
  setRequestedDocument: () => chosenFile,
  setRequestedSpreadsheet: () => chosenFile,
  setReferenceData: () => reference,
  setReferenceSource: () => reference,
  setMailMergeRecipients: () => file,
  setRevisedFile: () => file
}

/**
 * Signs data for a method of the editor in the page. The token's claims are exactly the data: only signed fields count
 * there. Source: emulator/docs/document-server-protocol.md#version-history
 */
export function signerOf (tokens: TokenSigner): EditorServer['sign'] {
  return ((...given: [payload: object] | [method: string, data: object]) => {
    const data = given.length === 2 ? dataFor(...given) : jsonOf('payload', given[0])
    return { ...data, token: tokens.sign(data) } satisfies SignedData<JsonObject>
  }) as EditorServer['sign']
}

function dataFor (method: string, value: object): JsonObject {
  if (!Object.hasOwn(shapes, method)) {
    throw new InvalidOptionError(
      'method',
      `must be ${Object.keys(shapes).join(', ')}; sign other data without a method`
    )
  }
  const data = jsonOf(method, value)
  assertShape(shapes[method as keyof SignedMethods](data), data, method)
  return data
}

/** What the browser receives: without undefined fields, with dates as strings. */
function jsonOf (name: string, value: unknown): JsonObject {
  const data = isPlainObject(value) ? parseJson(stringified(name, value)) : undefined
  if (!isJsonObject(data)) throw new InvalidOptionError(name, 'must be a plain object')
  for (const [claim, description] of Object.entries(forbidden)) {
    if (Object.hasOwn(data, claim)) throw new InvalidOptionError(`${name}.${claim}`, description)
  }
  if (isCommandName(data.c)) {
    throw new InvalidOptionError(`${name}.c`, 'must not be a command: the document server would execute it')
  }
  return data
}

function stringified (name: string, value: object): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch (cause) {
    throw new InvalidOptionError(name, 'must be JSON, without BigInt values and circular references', { cause })
  }
}

function assertShape (shape: Shape, value: unknown, path: string): void {
  if (isRule(shape)) {
    if (!shape.holds(value)) throw new InvalidOptionError(path, shape.description)
  } else if (isList(shape)) {
    if (!Array.isArray(value) || value.length === 0) {
      throw new InvalidOptionError(path, 'must be a list that is not empty')
    }
    value.forEach((element, index) => assertShape(shape[0], element, `${path}[${index}]`))
  } else {
    if (!isJsonObject(value)) throw new InvalidOptionError(path, 'must be an object')
    for (const [field, inner] of Object.entries(shape)) assertShape(inner, value[field], `${path}.${field}`)
  }
}

function isList (shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape)
}

function isPlainObject (value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
