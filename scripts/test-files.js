import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const TESTS = ['test', 'emulator/test']
const TEST = /\.test\.ts$/
/** Only `npm run test:full` runs these. */
const LONG = /\.long\.test\.ts$/
const GROUPS = '.tap/groups'
/** Starting a process takes longer than most test files. With larger groups, the last one runs alone for too long. */
const FILES_PER_GROUP = 16

/**
 * The test files in `paths`, by default all. Long ones are left out unless they are named or the set is full.
 * @param {{ paths: string[], isFull: boolean }} selection
 */
export async function testFiles ({ paths, isFull }) {
  const places = paths.length > 0 ? paths : TESTS.filter(folder => existsSync(folder))
  const found = await Promise.all(places.map(async place => {
    if (!(await stat(place)).isDirectory()) return [place]
    const names = await readdir(place, { recursive: true })
    return names.filter(name => TEST.test(name) && (isFull || !LONG.test(name))).map(name => join(place, name))
  }))
  return found.flat().sort()
}

/**
 * Writes a module for each group of files that run in one process. Returns the paths of these modules.
 * A long test file has its own process.
 * @param {string[]} files
 */
export async function writeGroups (files) {
  const short = files.filter(file => !LONG.test(file))
  const count = Math.ceil(short.length / FILES_PER_GROUP)
  const groups = [
    ...files.filter(file => LONG.test(file)).map(file => [file]),
    // Neighbours are of one subject and take about as long: dealt out, all groups do.
    ...Array.from({ length: count }, (_, index) => short.filter((_file, place) => place % count === index))
  ]

  await rm(GROUPS, { recursive: true, force: true })
  await mkdir(GROUPS, { recursive: true })
  const runner = new URL('test-group.js', import.meta.url).href
  return await Promise.all(groups.map(async (group, index) => {
    const path = join(GROUPS, `${String(index + 1).padStart(3, '0')}.js`)
    await writeFile(path, `import { runFiles } from '${runner}'\n\nawait runFiles(${JSON.stringify(group, null, 2)})\n`)
    return path
  }))
}
