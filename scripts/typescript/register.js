// Lets Node.js run the TypeScript of this project: `node --import=./scripts/typescript/register.js <file>`.
// Types become blanks, so that every line and column stays where it is: stack traces and coverage need no source maps.
// The results are kept, because only the first of a hundred test files should wait for the parser.
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const KEPT = fileURLToPath(new URL('../../.tap/javascript/', import.meta.url))

/** Tests run the packages of this repository from their sources. */
const EMULATOR = new URL('../../emulator/lib/index.ts', import.meta.url).href

/** Test files that share a process don't share tap's root test. */
const TAP = new URL('../test-group.js', import.meta.url).href

const require = createRequire(import.meta.url)

registerHooks({
  resolve (specifier, context, nextResolve) {
    const { parentURL = '' } = context
    if (parentURL.includes('/node_modules/')) return nextResolve(specifier, context)
    if (specifier === 'tap' && parentURL !== TAP) return nextResolve(TAP, context)
    if (specifier === 'onlyoffice-emulator') return nextResolve(EMULATOR, context)
    const typescript = /^\.{1,2}\/.*\.js$/.test(specifier) && new URL(specifier.replace(/js$/, 'ts'), parentURL)
    return nextResolve(typescript && existsSync(typescript) ? typescript.href : specifier, context)
  },

  load (url, context, nextLoad) {
    if (!url.startsWith('file:') || !new URL(url).pathname.endsWith('.ts') || url.includes('/node_modules/')) {
      return nextLoad(url, context)
    }
    return { format: 'module', source: javaScriptOf(fileURLToPath(url)), shortCircuit: true }
  }
})

/** @param {string} path */
function javaScriptOf (path) {
  const source = readFileSync(path, 'utf8')
  const kept = join(KEPT, `${hash('sha256', source)}.js`)
  if (existsSync(kept)) return readFileSync(kept, 'utf8')
  const { default: blankTypes } = require('ts-blank-space')
  const content = blankTypes(source, () => {
    throw new SyntaxError(`More than types to remove, see what tsc says: ${path}`)
  })
  mkdirSync(KEPT, { recursive: true })
  writeFileSync(`${kept}.${process.pid}`, content) // other processes read and write the same file
  renameSync(`${kept}.${process.pid}`, kept)
  return content
}
