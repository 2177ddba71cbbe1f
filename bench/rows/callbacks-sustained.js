import { setTimeout as delay } from 'node:timers/promises'
import { startApplication } from '../framework/application.js'

const DOCUMENTS = 10_000
const PER_SECOND = 500

/** @type {import('../framework/measure.js').Figures} */
export const callbacksSustained = {
  name: 'callbacks-sustained',
  title: 'Status 1 for 10,000 documents, 500 a second for five minutes (or `--minutes`)',
  does: 'a session of every document is open; server on one core, load on the other',
  long: true,
  processes: 1,
  figures: {
    p99: { name: 'p99', unit: 'ms', atMost: 20 },
    first: { name: 'memory after a fifth of the time', unit: 'MB' },
    last: { name: 'memory at the end', unit: 'MB' },
    // The heap breathes by a few per cent between two collections.
    growth: { name: 'memory at the end against a fifth', unit: '×', atMost: 1.1 }
  },
  async measure ({ sustainedSeconds: seconds }, folder) {
    const { server, editors, fileIds, stop } = await startApplication(folder, { documents: DOCUMENTS, connections: 50 })
    try {
      await editors.call('openSessions', fileIds)
      const sent = editors.call('sustained', { seconds, perSecond: PER_SECOND })
      const early = delay(seconds * 1000 / 5).then(() => server.usage())
      const [{ rss: first }, { p99, callbacks }] = await Promise.all([early, sent])
      if (callbacks < seconds * PER_SECOND * 0.99) throw new Error(`only ${callbacks} callbacks were sent`)
      const { rss: last } = await server.usage()
      return { p99, first, last, growth: last / first }
    } finally {
      await stop()
    }
  }
}
