import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { lastChanger } from './sessions/built.js'
import { editors, type OpenDocument, type Participant } from './sessions/documents.js'
import { beginSave } from './sessions/leaving.js'
import type { SessionParts } from './sessions/parts.js'
import type { Sessions } from './sessions/sessions.js'

/** Leaves and saves everything, as an orderly end does. */
export async function leaveAll ({ documents, log }: SessionParts, sessions: Sessions): Promise<void> {
  const leaving = documents.all().map(async document => {
    for (const participant of [...document.participants.values()]) await sessions.leave(document, participant)
    document.saving?.soon.abort()
  })
  for (const outcome of await Promise.allSettled(leaving)) {
    if (outcome.status === 'rejected') log.error({ err: outcome.reason }, 'a document could not be saved while closing')
  }
  await documents.settled()
}

/** Death and resurrection at the same address. */
export function lifecycle (app: FastifyInstance, { documents, held, host }: SessionParts, sessions: Sessions) {
  const { server } = app
  let address: AddressInfo | null = null
  let leavers = new Map<OpenDocument, Participant>()

  return {
    async crash (): Promise<void> {
      if (address !== null) throw new TypeError('The document server has crashed already')
      address = server.address() as AddressInfo
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      for (const client of app.websocketServer?.clients ?? []) client.terminate()
      host.die()
      held.clear()
      leavers = new Map()
      for (const document of documents.all()) {
        const leaver = lastToLeave(document)
        if (leaver !== undefined) leavers.set(document, leaver)
        cutOff(document)
      }
      await closed
      await documents.settled()
    },
    async restart ({ sessions: fate }: { readonly sessions: 'kept' | 'lost' }): Promise<void> {
      if (fate !== 'kept' && fate !== 'lost') throw new TypeError('sessions must be kept or lost')
      if (address === null) throw new TypeError('The document server has not crashed')
      server.listen(address.port, address.address)
      await once(server, 'listening')
      address = null
      host.revive()
      for (const document of documents.all()) {
        if (fate === 'kept') resume(document)
        else lose(document)
      }
    }
  }

  /** A save that was under way is sent again at once; who was cut off has the usual time to come back. */
  function resume (document: OpenDocument): void {
    const leaver = leavers.get(document)
    if (document.saving !== null) sessions.saveLater(document, beginSave(document, document.saving.leaver, document.saving))
    else if (leaver !== undefined) sessions.saveLater(document, beginSave(document, leaver, { waits: true }))
  }

  function lose (document: OpenDocument): void {
    document.saving = null
    document.changes = []
    documents.forget(document)
    document.watch.lost()
  }
}

/** Who would have left last, where there is something to save when they do. */
function lastToLeave (document: OpenDocument): Participant | undefined {
  const { changes, fromForgotten, saving } = document
  if (changes.length === 0 && !fromForgotten) return undefined
  if (saving !== null) return saving.leaver
  const present = editors(document)
  return present.length === 0 ? undefined : lastChanger(document) ?? present.at(-1)
}

function cutOff (document: OpenDocument): void {
  if (document.saving?.waits === true) document.saving = null
  if (document.forceSave?.outcome === 'under way') document.forceSave = null
  for (const participant of document.participants.values()) {
    document.disconnected.set(participant.connectionId, participant)
    participant.notify({ type: 'disconnected' })
  }
  document.participants.clear()
  document.gone.clear()
}
