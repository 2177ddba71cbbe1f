// Looks up documents in a directory.
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fileStorage } from '../../dist/lib/index.js'
import { answerCalls } from '../framework/child.js'
import { median } from '../framework/statistics.js'

const REPETITIONS = 200
const CHANGES = 20

let made = 0

answerCalls({
  start () {},

  /**
   * Creates a directory with so many documents.
   * @param {{ directory: string, documents: number }} options
   */
  create ({ directory, documents }) {
    mkdirSync(directory, { recursive: true })
    for (let number = 0; number < documents; number++) add(directory, `document-${number}`)
  },

  /** @param {{ directory: string, documents: number }} options */
  async measure ({ directory, documents }) {
    const storage = fileStorage({ directory })
    await storage.ready()
    const known = 'document-0'
    const first = await microseconds(
      REPETITIONS,
      number => storage.stat(`document-${Math.floor(number * documents / REPETITIONS)}`),
      true
    )
    const hit = await microseconds(REPETITIONS, () => storage.stat(known), true)
    const miss = await microseconds(REPETITIONS, number => storage.stat(`missing-${number}`), false)
    const changed = await microseconds(
      CHANGES,
      number => storage.stat(`missing-too-${number}`),
      false,
      () => add(directory, `new-${process.pid}-${made++}`)
    )
    await storage.close()
    return { first, hit, miss, changed }
  }
})

/**
 * @param {string} directory
 * @param {string} fileId
 */
function add (directory, fileId) {
  closeSync(openSync(join(directory, `${fileId}.docx`), 'wx'))
}

/**
 * The median of look-ups. Throws if one finds what it should not, or nothing.
 * @param {number} repetitions
 * @param {(number: number) => Promise<unknown>} lookUp
 * @param {boolean} isFound
 * @param {() => void} [before] each
 */
async function microseconds (repetitions, lookUp, isFound, before = () => {}) {
  const times = []
  for (let number = 0; number < repetitions; number++) {
    before()
    const started = performance.now()
    const found = await lookUp(number)
    times.push((performance.now() - started) * 1000)
    if ((found !== null) !== isFound) throw new Error('a look-up had the wrong result')
  }
  return median(times)
}
