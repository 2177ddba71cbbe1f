// Types become blanks, so that every line and column stays where it is: stack traces and coverage need no source maps.
// The results are kept, because only the first of a hundred test files should wait for the parser.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

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
  if (!url.startsWith('file:') || !new URL(url).pathname.endsWith('.ts') || url.includes('/node_modules/')) {
    return nextLoad(url, context)
  }
  const source = String((await nextLoad(url, { ...context, format: 'module' })).source)
  const kept = new URL(`${createHash('sha256').update(source).digest('hex')}.js`, KEPT)
  const javaScript = await readFile(kept, 'utf8').catch(async () => {
    const { default: blankTypes } = await import('ts-blank-space')
    const content = blankTypes(source, () => {
      throw new SyntaxError(`More than types to remove, see what tsc says: ${url}`)
    })
    await mkdir(KEPT, { recursive: true })
    // Other processes read and write the same file.
    await writeFile(`${fileURLToPath(kept)}.${process.pid}`, content)
    await rename(`${fileURLToPath(kept)}.${process.pid}`, kept)
    return content
  })
  return { format: 'module', source: javaScript, shortCircuit: true }
}
