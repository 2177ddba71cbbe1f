import { startProgram } from '../framework/program.js'

/** @typedef {import('../framework/measure.js').Comparison} Comparison */

const PLUGIN = ['../../dist/lib/index.js']

/** @type {Comparison} */
export const imports = {
  name: 'import',
  title: "import 'fastify-onlyoffice' (time, and memory that it adds)",
  warmUp: 1,
  candidates: [
    {
      name: 'the plugin',
      does: 'in a process of its own each time, without fastify',
      start: async () => imported(PLUGIN)
    },
    {
      name: 'fastify',
      does: 'import \'fastify\' in the same way',
      goal: 0.5,
      start: async () => imported(['fastify'])
    }
  ]
}

/** @param {string[]} modules */
function imported (modules) {
  return {
    async round () {
      const process = await startProgram('candidates/import.js', 'measured')
      const done = await process.call('import', modules)
      await process.stop()
      return done
    },
    stop: async () => {}
  }
}
