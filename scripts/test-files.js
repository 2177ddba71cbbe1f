import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const TESTS = ['test', 'emulator/test']
const TEST = /\.test\.ts$/
/** Only `npm run test:full` runs these. */
const LONG = /\.long\.test\.ts$/
/** Short, but with more random inputs in the full set. */
const RANDOM = join('test', 'campaigns', 'property', 'saves.test.ts')
/** What TEST_STORAGE=s3 does not run, and why. */
const NOT_ON_S3 = /** @type {Record<string, string>} */ ({
  'test/integration/conversion.long.test.ts': 'is about conversions: nothing of it depends on the storage',
  'test/integration/results/moved-service.test.ts': 'is about saves that are refused before anything is fetched',
  'test/integration/results/other-origin.test.ts':
    'is about the host of a result: nothing of it depends on the storage',
  'test/integration/results/tokens.test.ts': 'is about secrets: nothing of it depends on the storage',
  'test/integration/sessions/viewer.test.ts': 'is about people who save nothing',
  'test/saves/content-check.long.test.ts':
    'is about contents that are refused: test/saves/cut-off.test.ts has some on S3',
  'test/saves/failed-download.test.ts':
    'is about downloads that fail: test/integration/results and test/saves/plugged-client.test.ts have some on S3',
  'test/saves/hanging.long.test.ts':
    'has a storage of its own, whose calls hang: test/s3 has an object store whose requests hang',
  'test/saves/international-host.test.ts': 'is about the host of a result: nothing of it depends on the storage',
  'test/saves/origins.test.ts': 'is about the host of a result: nothing of it depends on the storage',
  'test/saves/private-ips.test.ts': 'is about the host of a result: nothing of it depends on the storage',
  'test/saves/retries.long.test.ts': 'has a storage of its own, which fails: test/s3 has an object store that fails',
  'test/saves/inspection-kill.long.test.ts':
    'kills an instance with files: what is staged in an object store is no temp file',
  'test/saves/siblings.test.ts':
    'needs a directory: an object store has one document of a fileId, whatever its extension',
  'test/saves/write-faults.test.ts':
    'needs a disk that is full, and permissions: test/s3 has an object store that fails'
})
const isOnS3 = process.env.TEST_STORAGE === 's3'
const GROUPS = '.tap/groups'
/**
 * Starting a process takes longer than most short test files: a second of processor time. With larger groups, a
 * machine with eight processors would have nothing to do for some of them.
 */
const SHORT_FILES_PER_GROUP = 40
const LONG_FILES_PER_GROUP = 4

/** In the words of the report. */
export function leftOut () {
  return isOnS3 ? Object.entries(NOT_ON_S3).map(([file, why]) => `${file}: ${why}`) : []
}

/**
 * The test files in `paths`, by default all. Long ones are left out unless they are named or wanted.
 * @param {{ paths: string[], withLong: boolean, withShort?: boolean }} selection
 */
export async function testFiles ({ paths, withLong, withShort = true }) {
  const places = paths.length > 0 ? paths : TESTS.filter(folder => existsSync(folder))
  const found = await Promise.all(places.map(async place => {
    if (!(await stat(place)).isDirectory()) return [place]
    const names = await readdir(place, { recursive: true })
    return names.filter(name =>
      TEST.test(name) && (LONG.test(name) ? withLong : withShort || join(place, name) === RANDOM)
    ).map(name => join(place, name))
  }))
  return found.flat().filter(file => !isOnS3 || !(file in NOT_ON_S3)).sort()
}

/**
 * Writes a module for each group of files that run in one process. Returns the paths of these modules.
 * @param {string[]} files
 */
export async function writeGroups (files) {
  const groups = [
    ...dealt(files.filter(file => !LONG.test(file)), SHORT_FILES_PER_GROUP),
    // In this order, because what takes longest should not be left to run alone in the end.
    ...dealt(files.filter(file => LONG.test(file)).reverse(), LONG_FILES_PER_GROUP)
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

/**
 * Neighbours are of one subject and take about as long: dealt out, all groups do.
 * @param {string[]} files
 * @param {number} most in a group
 */
function dealt (files, most) {
  const count = Math.ceil(files.length / most)
  return Array.from({ length: count }, (_, index) => files.filter((_file, place) => place % count === index))
}
