// Measures the plugin beside what one would use instead of it. See README.md.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { measure } from './framework/measure.js'
import { profileInto } from './framework/program.js'
import { table } from './framework/table.js'
import { rows } from './rows/index.js'

/** @typedef {import('./framework/measure.js').Mode} Mode */
/** @typedef {import('./framework/measure.js').Row} Row */
/** @typedef {import('./framework/measure.js').Measured} Measured */

/** @type {Mode} */
const FULL = { name: 'full', processes: 4, rounds: 3, seconds: 1, warmUpSeconds: 1.5 }
/** @type {Mode} */
const QUICK = { name: 'quick', processes: 2, rounds: 2, seconds: 0.25, warmUpSeconds: 0.75 }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    'cpu-prof': { type: 'string' }
  }
})
if (values.only !== undefined && values.only !== 'ours') throw new Error('--only knows ours')
const mode = values.quick ? QUICK : FULL
if (values['cpu-prof']) {
  await mkdir(values['cpu-prof'], { recursive: true })
  profileInto(resolve(values['cpu-prof']))
}

for (const row of chosenRows()) {
  const started = performance.now()
  const measured = await measureInFolder(row)
  console.log(`${table([measured])}\n${row.name} took ${((performance.now() - started) / 1000).toFixed(1)} s\n`)
}

/** The rows that the command line names; else all, in a quick run without the long ones. */
function chosenRows () {
  for (const name of positionals) {
    if (!rows.some(row => row.name === name)) throw new Error(`there is no row ${name}, but ${rows.map(({ name }) => name).join(', ')}`)
  }
  if (positionals.length > 0) return rows.filter(({ name }) => positionals.includes(name))
  return values.quick ? rows.filter(({ long }) => !long) : rows
}

/** @param {Row} row */
async function measureInFolder (row) {
  const folder = await mkdtemp(join(tmpdir(), `bench-${row.name}-`))
  try {
    return await measure(row, mode, folder, { onlyOurs: values.only === 'ours' })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
