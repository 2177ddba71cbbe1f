import { join } from 'node:path'
import { startProgram } from '../framework/program.js'

/** @typedef {import('../framework/measure.js').Figures} Figures */

export const lookup = [
  row('lookup-1k', 'Look-up among 1,000 documents', 1000),
  row('lookup-100k', 'Look-up among 100,000 documents', 100_000),
  row('lookup-1m', 'Look-up among a million documents', 1_000_000, true)
]

/**
 * @param {string} name
 * @param {string} title
 * @param {number} documents
 * @param {boolean} [long]
 * @returns {Figures}
 */
function row (name, title, documents, long = false) {
  return {
    name,
    title,
    long,
    does: '`stat` of a file storage, medians; each process has a new one',
    figures: {
      hit: { name: 'known document', unit: 'µs', atMost: 1000 },
      first: { name: 'for the first time', unit: 'µs' },
      miss: { name: 'no such document', unit: 'µs' },
      changed: { name: 'no such document, after a change of the directory', unit: 'µs' }
    },
    async prepare (_, folder) {
      const directory = join(folder, 'documents')
      await inProcess('create', { directory, documents })
      return directory
    },
    measure: (_, _folder, directory) => inProcess('measure', { directory, documents })
  }
}

/**
 * @param {string} method
 * @param {object} options
 */
async function inProcess (method, options) {
  const program = await startProgram('candidates/lookup.js', 'measured')
  try {
    return await program.call(method, options)
  } finally {
    await program.stop()
  }
}
