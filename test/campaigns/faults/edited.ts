import type { Test } from 'tap'
import { fakeClock } from 'onlyoffice-emulator'
import { startDocumentServer, startFakeHost } from '../../../emulator/test/support.js'

/** A document that somebody has edited and not closed. */
export async function startEdited (t: Test) {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
  const config = host.config('K', { name: 'notes.txt' })
  const session = await server.open(config)
  await session.edit('what was edited')
  return { host, clock, server, config, session }
}
