import { startProgram } from '../framework/program.js'

/** @typedef {import('../framework/measure.js').Comparison} Comparison */
/** @typedef {import('../framework/measure.js').Figures} Figures */

const PLUGIN = ['../../dist/lib/index.js']

/** @type {Comparison} */
const time = {
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
      goal: 0.4,
      start: async () => imported(['fastify'])
    },
    {
      name: 'its dependencies',
      does: 'undici, fast-jwt and @fastify/static alone: a limit',
      start: async () => imported(['undici', 'fast-jwt', '@fastify/static'])
    }
  ]
}

/** @type {Figures} */
const memory = {
  name: 'import-memory',
  title: "Memory that import 'fastify-onlyoffice' adds",
  does: 'in a process of its own, without fastify',
  figures: { rss: { name: 'resident memory', unit: 'MB', atMost: 20 } },
  async measure () {
    const { rss } = await imported(PLUGIN).round()
    return { rss }
  }
}

export const imports = [time, memory]

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
