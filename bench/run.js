// Measures the plugin beside what one would use instead of it. See README.md.
import { parseArgs } from 'node:util'
import { inTemporaryFolder } from './framework/cleanup.js'
import { measure } from './framework/measure.js'
import { readResults, regressions, render, writeResults } from './framework/results.js'
import { table } from './framework/table.js'
import { rows } from './rows/index.js'

/** @typedef {import('./framework/measure.js').Mode} Mode */
/** @typedef {import('./framework/measure.js').Row} Row */
/** @typedef {import('./framework/measure.js').Measured} Measured */

/** @type {Mode} */
const FULL = { name: 'full', processes: 4, rounds: 3, seconds: 1, warmUp: 1 }
/** @type {Mode} */
const QUICK = { name: 'quick', processes: 1, rounds: 3, seconds: 0.3, warmUp: 1 }

/** With `--check`: a busy moment is no regression. */
const ATTEMPTS = 3

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    render: { type: 'boolean', default: false }
  }
})
if (values.write && (values.quick || values.check)) throw new Error('--write is for a full run')
const mode = values.quick ? QUICK : FULL

if (values.render) await render(await readResults())
else if (values.check) await check()
else await measureAll()

async function measureAll () {
  /** @type {Record<string, Measured>} */
  const measured = {}
  for (const row of chosenRows()) {
    measured[row.name] = await measureAndPrint(row)
    // At once: an interrupted run keeps what it has measured.
    if (values.write) await writeResults(measured, rows.map(({ name }) => name))
  }
}

/** Measures rows that seem slower once more, and fails if they stay so. */
async function check () {
  const expected = await readResults()
  for (const row of chosenRows().filter(({ checked }) => checked !== false)) {
    /** @type {string[]} */
    let slower = []
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      slower = regressions(expected, row.name, await measureAndPrint(row))
      if (slower.length === 0) break
    }
    for (const line of slower) console.error(`SLOWER: ${line}`)
    if (slower.length > 0) process.exitCode = 1
  }
}

/** @param {Row} row */
async function measureAndPrint (row) {
  const started = performance.now()
  const measured = await inTemporaryFolder(
    row.name,
    async folder => await measure(row, mode, folder)
  )
  console.log(`${table([measured])}\n${row.name} took ${((performance.now() - started) / 1000).toFixed(1)} s\n`)
  return measured
}

/** The rows that the command line names; else all, in a quick run without the long ones. */
function chosenRows () {
  for (const name of positionals) {
    if (!rows.some(row => row.name === name)) {
      throw new Error(`there is no row ${name}, but ${rows.map(({ name }) => name).join(', ')}`)
    }
  }
  if (positionals.length > 0) return rows.filter(({ name }) => positionals.includes(name))
  return values.quick ? rows.filter(({ long }) => !long) : rows
}
