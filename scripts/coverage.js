import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { compiled } from './compiled.js'

/** Per cent of all modules of a package. */
const THRESHOLDS = /** @type {const} */ ({ lines: 95, statements: 95, branches: 90, functions: 95 })

/** @typedef {Record<keyof typeof THRESHOLDS, { total: number, covered: number }>} Measures */

/**
 * What keeps the coverage of the modules in `directory` from being good enough, in the words of the report.
 * The browser's scripts are no modules of Node.js: what they do is tested in a browser.
 * @param {string} summaryFile istanbul's json-summary
 * @param {string} directory
 */
export async function coverageFaults (summaryFile, directory) {
  /** @type {Record<string, Measures>} */
  const summary = JSON.parse(await readFile(summaryFile, 'utf8').catch(() => '{}'))
  const modules = await modulesIn(directory)
  const measured = modules.flatMap(path => summary[path] ?? [])
  const unloaded = modules.filter(path => !summary[path])

  return [
    ...unloaded.map(path => `coverage: no test loads ${path}`),
    ...Object.entries(THRESHOLDS).flatMap(([name, threshold]) => {
      const measures = measured.map(measure => measure[/** @type {keyof Measures} */ (name)])
      const [covered, total] = [sum(measures.map(({ covered }) => covered)), sum(measures.map(({ total }) => total))]
      const percent = total === 0 ? 0 : covered / total * 100
      return percent < threshold
        ? [`coverage: ${percent.toFixed(2)} % of the ${name} of ${directory}, less than ${threshold} %`]
        : []
    })
  ]
}

/**
 * Absolute paths of the modules that have code to run. Schemas run in the build only, and what it makes of them is not
 * ours to cover.
 * @param {string} directory
 */
async function modulesIn (directory) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const modules = entries.filter(entry => entry.isFile() && /(?<!\.schema|\.compiled|\.d)\.ts$/.test(entry.name))
  const paths = modules.map(entry => resolve(join(entry.parentPath, entry.name)))
  const sources = await Promise.all(paths.map(path => readFile(path, 'utf8')))
  return paths.filter((_path, index) => compiled(sources[index] ?? '') !== '')
}

/** @param {number[]} numbers */
function sum (numbers) {
  return numbers.reduce((total, number) => total + number, 0)
}
