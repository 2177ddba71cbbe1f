import { setTimeout as delay } from 'node:timers/promises'
import { startApplication } from '../framework/application.js'

const DOCUMENTS = 10_000
const MINUTE_MS = 60_000

/** @type {import('../framework/measure.js').Figures} */
export const callbacksSustained = {
  name: 'callbacks-sustained',
  title: 'Status 1 for 10,000 documents, 500 a second for five minutes',
  does: 'a session of every document is open; server on one core, load on the other',
  long: true,
  processes: 1,
  figures: {
    p99: { name: 'p99', unit: 'ms', atMost: 20 },
    first: { name: 'memory after a minute', unit: 'MB' },
    last: { name: 'memory after five minutes', unit: 'MB' },
    // The heap breathes by a few per cent between two collections.
    growth: { name: 'memory after five minutes against one', unit: '×', atMost: 1.1 }
  },
  async measure (_, folder) {
    const { server, editors, fileIds, stop } = await startApplication(folder, { documents: DOCUMENTS, connections: 50 })
    try {
      await editors.call('openSessions', fileIds)
      const sent = editors.call('sustained', { seconds: 300, perSecond: 500 })
      await delay(MINUTE_MS)
      const { rss: first } = await server.usage()
      const { p99, callbacks } = await sent
      if (callbacks < 149_000) throw new Error(`only ${callbacks} callbacks were sent`)
      const { rss: last } = await server.usage()
      return { p99, first, last, growth: last / first }
    } finally {
      await stop()
    }
  }
}
