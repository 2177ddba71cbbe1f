// Makes `x.compiled.ts` from every `x.schema.ts` in lib/, so that nothing has to load TypeBox or compile a schema at
// run time:
//   export const Name = Type.…            becomes the function isName()
//   export const fields = { a: Type.… }   becomes an object of such functions
//   export const LIMIT = 10               any other value is copied, as JSON; functions are left out
// node --import ./scripts/typescript/register.js scripts/compile-schemas.js
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Code } from 'typebox/compile'
import * as url from '../lib/util/url.js'

const LIB = 'lib'
const SCHEMA = /\.schema\.ts$/
const COMPILED = /\.compiled\.ts$/

/** What compiled schemas use of TypeBox: JSON Schema counts the length of a string in code points. */
const GUARD = 'const Guard = { CodePointCount: (text: string) => Array.from(text).length }'

const files = (await readdir(LIB, { recursive: true })).map(file => join(LIB, file))
const compiled = new Set()
for (const file of files.filter(file => SCHEMA.test(file))) {
  const output = file.replace(SCHEMA, '.compiled.ts')
  compiled.add(output)
  await update(output, moduleOf(file, await import(pathToFileURL(resolve(file)).href)))
}
for (const file of files.filter(file => COMPILED.test(file) && !compiled.has(file))) await rm(file)

/**
 * A build that changes nothing leaves the file alone.
 * @param {string} file
 * @param {string} content
 */
async function update (file, content) {
  if (await readFile(file, 'utf8').catch(() => undefined) !== content) await writeFile(file, content)
}

/**
 * @param {string} file
 * @param {Record<string, unknown>} exported
 */
function moduleOf (file, exported) {
  const names = Object.entries(exported).filter(([, value]) => isSchema(value)).map(([name]) => name)
  const body = Object.entries(exported).filter(([, value]) => typeof value !== 'function')
    .map(([name, value]) => declarationOf(name, value)).join('\n\n')
  return [
    `// Made from ${basename(file)} by scripts/compile-schemas.js.`,
    '// @ts-nocheck',
    ...names.length > 0 ? [`import type { ${names.join(', ')} } from './${basename(file, '.ts')}.js'`] : [],
    .../\{ check: url\./.test(body)
      ? [`import * as url from '${relative(dirname(file), join(LIB, 'util/url.js')).replaceAll('\\', '/')}'`]
      : [],
    ...body.includes('Guard.') ? ['', GUARD] : [],
    '',
    body,
    ''
  ].join('\n')
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function declarationOf (name, value) {
  if (isSchema(value)) {
    return `const check${name} = ${checkOf(value)}\nexport const is${name} = (value: unknown): value is ${name} => check${name}(value)`
  }
  if (isObjectOfSchemas(value)) {
    const checks = Object.entries(value).map(([key, schema]) =>
      `  ${JSON.stringify(key)}: ${checkOf(schema)} as (value: unknown) => boolean`
    )
    return `export const ${name} = {\n${checks.join(',\n')}\n}`
  }
  return `export const ${name} = ${JSON.stringify(value)}`
}

/**
 * @param {unknown} value
 * @returns {value is import('typebox').TSchema}
 */
function isSchema (value) {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, '~kind')
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, import('typebox').TSchema>}
 */
function isObjectOfSchemas (value) {
  return typeof value === 'object' && value !== null && Object.values(value).every(isSchema)
}

/**
 * An expression: the function that checks a value.
 * @param {import('typebox').TSchema} schema
 */
function checkOf (schema) {
  const { Code: code, External: { variables } } = Code(schema)
  const functions = code.slice(code.indexOf('const check_')) // after the imports and the externals
    .replaceAll('// @ts-ignore\n', '')
    .replace('export function Check(value)', 'return value =>')
  const [unknown] = functions.match(/\b(?:Guard\.(?!CodePointCount\b)|Hashing\.|CheckContext\b)\w*/) ?? []
  if (unknown !== undefined) throw new Error(`A compiled schema would need TypeBox at run time, for ${unknown}`)
  return `(() => {\nconst External = [${variables.map(externalText).join(', ')}]\n${functions}\n})()`
}

/**
 * What a schema uses besides values that JSON can represent: patterns, and predicates of lib/util/url.ts.
 * @param {unknown} external
 */
function externalText (external) {
  if (external instanceof RegExp) return String(external)
  const { check } = /** @type {{ check?: unknown }} */ (external)
  const [predicate] = Object.entries(url).find(([, value]) => value === check) ?? []
  if (predicate === undefined) throw new Error('Type.Refine needs a function that lib/util/url.ts exports')
  return `{ check: url.${predicate} }`
}
