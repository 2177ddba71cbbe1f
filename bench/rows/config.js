import { startProgram } from '../framework/program.js'

/** @typedef {import('../framework/measure.js').Length} Length */

/** @type {import('../framework/measure.js').Comparison} */
export const config = {
  name: 'config',
  title: 'Configuration of 1.5 kB, built and signed',
  warmUp: 5000,
  candidates: [
    { name: 'the plugin', does: 'builds the configuration and signs it', start: () => signing('plugin') },
    {
      name: 'jsonwebtoken',
      does: 'with the secret as a string; of a configuration that is built already',
      goal: 5,
      start: () => signing('jsonwebtoken')
    }
  ]
}

/** @param {string} way */
async function signing (way) {
  const program = await startProgram('candidates/signing.js', 'measured', { way })
  return {
    round: (/** @type {Length} */ length) => program.call('round', length),
    usage: program.usage,
    stop: program.stop
  }
}
