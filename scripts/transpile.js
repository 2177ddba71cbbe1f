// Writes the package in the working directory to dist/: TypeScript without its types, other files as they are.
// `npm run build:types` checks and declares the types, which takes fifty times as long.
//   node ../scripts/transpile.js
import { build } from 'esbuild'
import { existsSync } from 'node:fs'
import { cp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Made by other scripts. */
const MADE = /(^|\/)(assets|vendor)\/|\.licenses\.txt$/
/** For the compilers of schemas and types. Those of the browser's modules are also for the users of the package. */
const NOT_BUILT = /\.schema\.ts$|^(?!lib\/browser\/).*\.d\.ts$/
const MODULE = /(?<!\.d)\.ts$/

const sources = (await Promise.all(['lib', 'types'].map(filesIn))).flat()
  .filter(file => !MADE.test(file) && !NOT_BUILT.test(file))
await build({
  entryPoints: sources.filter(file => MODULE.test(file)),
  outdir: 'dist',
  outbase: '.',
  format: 'esm',
  target: 'es2023',
  charset: 'utf8',
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } }
})
for (const file of sources.filter(file => !MODULE.test(file))) await cp(file, join('dist', file))

// A module that was removed or renamed must not live on.
for (const file of await filesIn('dist')) {
  const source = file.slice('dist/'.length)
  const origins = [source, source.replace(/(d\.ts|js)$/, 'ts'), source.replace(/d\.ts$/, 'js')]
  if (/\.(js|d\.ts)$/.test(file) && !MADE.test(file) && !origins.some(origin => existsSync(origin))) await rm(file)
}

/** @param {string} folder */
async function filesIn (folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name).replaceAll('\\', '/'))
}
