import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { SessionParts } from './sessions/parts.js'
import type { Sessions } from './sessions/sessions.js'

/** Leaves and saves everything, as an orderly end does. */
export async function leaveAll ({ documents, log }: SessionParts, sessions: Sessions): Promise<void> {
  const leaving = documents.all().map(async document => {
    for (const participant of [...document.participants.values()]) await sessions.leave(document, participant)
    const { delayedSave, key } = document
    if (delayedSave === null) return
    delayedSave.soon.abort()
    await documents.inTurn(key, async () => {})
  })
  for (const outcome of await Promise.allSettled(leaving)) {
    if (outcome.status === 'rejected') log.error({ err: outcome.reason }, 'a document could not be saved while closing')
  }
}

/** Death and resurrection at the same address. */
export function lifecycle (app: FastifyInstance, parts: SessionParts, sessions: Sessions) {
  const { server } = app
  let address: AddressInfo | null = null
  let interrupted = new Set<string>()

  return {
    async crash (): Promise<void> {
      if (address !== null) throw new TypeError('The document server has crashed already')
      address = server.address() as AddressInfo
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      for (const client of app.websocketServer?.clients ?? []) client.terminate()
      interrupted = new Set(parts.documents.all().filter(({ participants }) => participants.size === 0).map(({ key }) => key))
      for (const document of parts.documents.all()) {
        if (document.delayedSave !== null) document.delayedSave.cancelled = true
        for (const participant of document.participants.values()) {
          document.disconnected.set(participant.connectionId, participant)
          participant.notify({ type: 'disconnected' })
        }
        document.participants.clear()
        document.gone.clear()
      }
      parts.held.clear()
      parts.host.abort()
      await closed
    },
    async restart ({ sessions: fate }: { readonly sessions: 'kept' | 'lost' }): Promise<void> {
      if (address === null) throw new TypeError('The document server has not crashed')
      const { port, address: host } = address
      address = null
      server.listen(port, host)
      await once(server, 'listening')
      for (const document of parts.documents.all()) {
        if (fate === 'lost') parts.documents.forget(document)
        else resume(document.key)
      }
    }
  }

  /** A save that was under way is sent again at once; who was cut off has the usual time to come back. */
  function resume (key: string): void {
    const document = parts.documents.get(key)!
    const leaver = document.changes.at(-1)?.user
    if (leaver !== undefined) sessions.saveLater(document, leaver, interrupted.has(key) ? 0 : undefined)
  }
}
