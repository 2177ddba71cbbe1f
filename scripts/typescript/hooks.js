// Types become blanks, so that every line and column stays where it is: stack traces and coverage need no source maps.
// The results are kept, because only the first of a hundred test files should wait for the parser.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'

const KEPT = new URL('../../.tap/javascript/', import.meta.url)

/** Tests run the packages of this repository from their sources. */
const SOURCES = new Map([['onlyoffice-emulator', new URL('../../emulator/lib/index.ts', import.meta.url).href]])

/** Test files that share a process don't share tap's root test. */
const TAP = new URL('../test-group.js', import.meta.url).href

/** @type {import('node:module').ResolveHook} */
export async function resolve (specifier, context, nextResolve) {
  if (specifier === 'tap' && context.parentURL !== TAP) return nextResolve(TAP, context)
  const source = SOURCES.get(specifier)
  if (source !== undefined) return nextResolve(source, context)

  const typescript = /^\.{1,2}\/.*\.js$/.test(specifier) && new URL(specifier.replace(/js$/, 'ts'), context.parentURL)
  return typescript && existsSync(typescript) ? nextResolve(typescript.href, context) : nextResolve(specifier, context)
}

/** @type {import('node:module').LoadHook} */
export async function load (url, context, nextLoad) {
  if (!isTypeScript(url)) return nextLoad(url, context)

  const { source } = await nextLoad(url, { ...context, format: 'module' })
  return { format: 'module', source: await javaScript(String(source), url), shortCircuit: true }
}

/** @param {string} url */
function isTypeScript (url) {
  return url.startsWith('file:') && new URL(url).pathname.endsWith('.ts') && !url.includes('/node_modules/')
}

/**
 * @param {string} source
 * @param {string} url
 */
async function javaScript (source, url) {
  const file = new URL(`${createHash('sha256').update(source).digest('hex')}.js`, KEPT)
  return await readFile(file, 'utf8').catch(() => undefined) ?? await keep(file, await withoutTypes(source, url))
}

/**
 * @param {string} source
 * @param {string} url
 */
async function withoutTypes (source, url) {
  const { default: blankTypes } = await import('ts-blank-space')
  return blankTypes(source, () => {
    throw new SyntaxError(`More than types to remove, see what tsc says: ${url}`)
  })
}

/**
 * Other processes read and write the same file.
 * @param {URL} file
 * @param {string} content
 */
async function keep (file, content) {
  const written = new URL(`${file.href}.${process.pid}`)
  await mkdir(KEPT, { recursive: true })
  await writeFile(written, content)
  await rename(written, file)
  return content
}
