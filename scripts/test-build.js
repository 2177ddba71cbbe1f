// What has to be built before tests run.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const SOURCES = ['lib', 'types', 'emulator/lib', 'emulator/types', 'scripts', 'package.json', 'tsconfig.json']
/** Written when everything is built, with the time at which the build began. */
const BUILT = '.tap/built'
/**
 * tap makes its test class of the plugins in .taprc. The one that npm installs has a plugin that loads TypeScript in
 * its own way: a first run with it would have coverage of other sources than the next.
 */
const TAP_BUILT = 'node_modules/@tapjs/test/test-built/node_modules'
/** A test file with one of these words has to do with what is built. The others run from the sources. */
const USES_BUILT = /dist\b|assets|browser|kit\/programs|campaigns\/kills|emulator\/bin|execFile|fork|spawn/
/** These look at the declarations of types that are packed. */
const USES_TYPES = /installPacked|from 'typescript'/

/**
 * Some files need only the schemas, unless they start what is built, and nothing if nothing has changed since the last
 * build.
 * @param {{ files: string[], isAll: boolean }} run
 */
export async function build ({ files, isAll }) {
  if (!existsSync(TAP_BUILT)) run('exec', '--', 'tap', 'build')
  const sources = await Promise.all(files.map(async file => await readFile(file, 'utf8')))
  if (sources.some(source => USES_TYPES.test(source))) run('run', '--silent', 'build:types')
  const begun = new Date()
  const built = existsSync('dist/lib') ? await timeOf(BUILT) : 0
  const isFresh = built > await latest(SOURCES)
  if (isFresh && !isAll) return
  const isNeeded = isAll || built === 0 || sources.some(source => USES_BUILT.test(source))
  run('run', '--silent', isNeeded ? 'build' : 'build:schemas')
  if (!isNeeded) return
  await writeFile(BUILT, '')
  await utimes(BUILT, begun, begun)
}

/** @param {string[]} args of npm */
function run (...args) {
  const { status } = spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) process.exit(status ?? 1)
}

/**
 * Of files, and of directories, which change when something in them is removed.
 * @param {string[]} places
 */
async function latest (places) {
  const paths = await Promise.all(places.map(async place => {
    const names = await readdir(place, { recursive: true }).catch(() => [])
    return [place, ...names.filter(name => !/assets|\.compiled\.ts$/.test(name)).map(name => join(place, name))]
  }))
  return Math.max(...await Promise.all(paths.flat().map(timeOf)))
}

/** @param {string} path */
async function timeOf (path) {
  return await stat(path).then(({ mtimeMs }) => mtimeMs, () => 0)
}
