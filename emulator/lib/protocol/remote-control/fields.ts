import type { FastifyRequest } from 'fastify'
import { invalid } from './errors.js'

type Fields = Readonly<Record<string, unknown>>

/** The body, which must be an object. */
export function fieldsOf ({ body }: FastifyRequest): Fields {
  if (!isObject(body)) throw invalid('The body must be a JSON object')
  return body
}

function isObject (value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value)
}

export function requiredObject (fields: Fields, name: string): Fields {
  const value = fields[name]
  if (!isObject(value)) throw invalid(`${name} must be an object`)
  return value
}

/** An object whose values are strings. */
export function requiredStrings (fields: Fields, name: string): Readonly<Record<string, string>> {
  const value = requiredObject(fields, name)
  for (const one of Object.keys(value)) optionalString(value, one)
  return value as Readonly<Record<string, string>>
}

export function optionalString (fields: Fields, name: string): string | undefined {
  const value = fields[name]
  if (value !== undefined && typeof value !== 'string') throw invalid(`${name} must be a string`)
  return value
}

/** A whole number from the query. */
export function optionalNumber ({ query }: FastifyRequest, name: string): number | undefined {
  const value = (query as Record<string, unknown>)[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string' || !/^\d{1,9}$/.test(value)) throw invalid(`${name} must be a whole number`)
  return Number(value)
}
