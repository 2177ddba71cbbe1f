import { setTimeout as delay } from 'node:timers/promises'
import { startApplication } from '../framework/application.js'
import { startProgram } from '../framework/program.js'

/** @typedef {import('../framework/measure.js').Figures} Figures */

const LARGE = 5e6
const SMALL = 1000

/** @type {Figures} */
export const savesAtOnce = {
  name: 'saves-at-once',
  title: '200 saves of 5 MB at once (quick: 50)',
  checked: false, // a p99 of a second
  does: 'final saves of different documents; meanwhile one client downloads 1 kB again and again',
  figures: {
    seconds: { name: 'all stored', unit: 's' },
    idle: { name: 'p99 of a download before', unit: 'ms' },
    meanwhile: { name: 'p99 of a download meanwhile', unit: 'ms' },
    slower: { name: 'p99 meanwhile against before', unit: '×', atMost: 11 },
    memory: { name: 'peak resident memory', unit: 'MB', atMost: 215 }
  },
  async measure (mode, folder) {
    const saves = mode.name === 'quick' ? 50 : 200
    const application = await startApplication(folder, { documents: saves + 1, connections: saves })
    const [read = '', ...fileIds] = application.fileIds
    const { downloadPath: path } = await application.server.call('openPage', read)
    const reader = await startProgram('load/reader.js', 'load', { origin: application.origin, path, size: SMALL })
    try {
      await readFor(mode.seconds)
      const idle = await readFor(mode.seconds * 2)
      // The sessions are opened without a reader.
      await application.editors.call('openSessions', fileIds)
      await reader.call('begin')
      const seconds = await application.editors.call('saveOpened', { size: LARGE })
      const meanwhile = await reader.call('end')
      await application.editors.call('check')
      const { peakRss: memory } = await application.server.usage()
      return { seconds, idle, meanwhile, slower: meanwhile / idle, memory }
    } finally {
      await Promise.all([reader.stop(), application.stop()])
    }

    /** @param {number} seconds */
    async function readFor (seconds) {
      await reader.call('begin')
      await delay(seconds * 1000)
      return await reader.call('end')
    }
  }
}
